import CStoreFloor

extension Workbench {
    func floorGet() throws {
        guard floor_get(&floor.place, floor.items[0].name) == payload.count else { throw FloorFailure("get") }
    }

    func floorSet() throws {
        let outcome = payload.withUnsafeBytes { bytes in
            floor_set(
                &floor.place, floor.items[0], bytes.baseAddress, bytes.count,
                UInt32(Self.timeout.components.seconds)
            )
        }
        guard outcome == 0 else { throw FloorFailure("set") }
    }

    func floorList() throws {
        guard floor_list(&floor.place) == items.count else { throw FloorFailure("list") }
    }

    func floorClear() throws {
        guard floor_clear(&floor.place) == 0 else { throw FloorFailure("clear") }
    }

    func floorLease() throws {
        guard floor_lease(floor.place.leases, "default:lease:floor") == 0 else { throw FloorFailure("lease") }
    }
}
