"""svnserve, with the repository in a folder. Prints its port. Standard input has a line `NAME PASSWORD` for each user:
svn.py FOLDER"""
import os
import socketserver
import subprocess
import sys

# svnserve reads the passwords from a file. This one is only in memory.
passwords = os.memfd_create("passwords")
os.write(passwords, b"[users]\n" + b"".join(line.replace(b" ", b"=", 1) for line in sys.stdin.buffer))
configuration = sys.argv[1] + "/conf/svnserve.conf"
with open(configuration, "w") as file:
    print(f"[general]\nanon-access=none\npassword-db=/proc/self/fd/{passwords}\nrealm=orchard", file=file)


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        subprocess.run(
            ["svnserve", "--inetd", "--root", sys.argv[1], "--config-file", configuration],
            stdin=self.request, stdout=self.request, pass_fds=[passwords])


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Connection)
print(server.server_address[1], flush=True)
server.serve_forever()
