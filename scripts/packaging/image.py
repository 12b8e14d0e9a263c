"""Writes an image for a container registry: image.py LAYER.tar ARCHITECTURE VERSION ENTRYPOINT OUT.tar

An archive of OCI's image layout with one layer and no base: https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md. The same layer
gives the same bytes.
"""

import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile

CREATED = "2026-01-01T00:00:00Z"
KIND = "application/vnd.oci.image."


def main():
    layer, architecture, version, entrypoint, out = sys.argv[1:]
    content = pathlib.Path(layer).read_bytes()
    part = pathlib.Path(out + ".part")
    with tarfile.open(part, "w") as archive:
        def add(name, data):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(data), 1767225600
            archive.addfile(entry, io.BytesIO(data))

        def blob(kind, data):
            digest = hashlib.sha256(data).hexdigest()
            add("blobs/sha256/" + digest, data)
            return {"mediaType": KIND + kind, "digest": "sha256:" + digest, "size": len(data)}

        def described(kind, value):
            return blob(kind, json.dumps(value, sort_keys=True).encode())

        add("oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
        config = described("config.v1+json", {
            "architecture": architecture, "os": "linux", "created": CREATED, "config": {"Entrypoint": [entrypoint], "WorkingDir": "/work"},
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(content).hexdigest()]},
            "history": [{"created": CREATED, "created_by": "scripts/package image"}]})
        manifest = described("manifest.v1+json", {
            "schemaVersion": 2, "mediaType": KIND + "manifest.v1+json", "config": config,
            "layers": [blob("layer.v1.tar+gzip", gzip.compress(content, 6, mtime=0))]})
        manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
        add("index.json", json.dumps({"schemaVersion": 2, "manifests": [manifest]}, sort_keys=True).encode())
    part.rename(out)


if __name__ == "__main__":
    main()
