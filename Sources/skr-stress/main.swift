import StressSuite

print(Workload.allCases.map(\.rawValue))
