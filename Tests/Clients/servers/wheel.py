"""Creates the wheel of an empty package: wheel.py FOLDER"""
import pathlib
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True)
with zipfile.ZipFile(folder / "orchard-1.0-py3-none-any.whl", "w") as wheel:
    files = {
        "orchard.py": "", "orchard-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: orchard\nVersion: 1.0\n",
        "orchard-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: scenario\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    for name, text in files.items():
        wheel.writestr(name, text)
    record = "".join(f"{name},,\n" for name in [*files, "orchard-1.0.dist-info/RECORD"])
    wheel.writestr("orchard-1.0.dist-info/RECORD", record)
