"""Creates an OCI image with one layer, without a container engine: image.py LAYER.tar FOLDER"""
import hashlib
import json
import pathlib
import sys

layer, folder = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2])
blobs = folder / "blobs/sha256"
blobs.mkdir(parents=True)


def blob(content, kind):
    digest = hashlib.sha256(content).hexdigest()
    (blobs / digest).write_bytes(content)
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}


layers = [blob(layer, "layer.v1.tar")]
config = blob(json.dumps({
    "architecture": "amd64", "os": "linux", "config": {},
    "rootfs": {"type": "layers", "diff_ids": [layers[0]["digest"]]}}).encode(), "config.v1+json")
manifest = blob(json.dumps({"schemaVersion": 2, "config": config, "layers": layers}).encode(), "manifest.v1+json")
(folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
(folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest]}))
