"""An SMTP server. Prints its port: smtp.py FILE

Standard input has a line `NAME PASSWORD` for each user. For each message, the server adds the user to the file.
"""
import base64
import socketserver
import sys

users = {tuple(line.split()) for line in sys.stdin}


class Session(socketserver.StreamRequestHandler):
    def answer(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def handle(self):
        user = None
        self.answer("220 ready")
        for line in self.rfile:
            words = line.decode().split()
            match words[0].upper():
                case "EHLO":
                    self.answer("250-localhost\r\n250 AUTH PLAIN")
                case "AUTH":
                    _, name, password = base64.b64decode(words[2]).decode().split("\0")
                    user = name if (name, password) in users else None
                    self.answer("235 accepted" if user else "535 wrong user or password")
                case "MAIL" if not user:
                    self.answer("530 authenticate first")
                case "DATA":
                    self.answer("354 continue")
                    while self.rfile.readline() not in (b".\r\n", b""):
                        pass
                    with open(sys.argv[1], "a") as messages:
                        print(user, file=messages)
                    self.answer("250 sent")
                case "QUIT":
                    self.answer("221 bye")
                    return
                case _:
                    self.answer("250 ok")


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
print(server.server_address[1], flush=True)
server.serve_forever()
