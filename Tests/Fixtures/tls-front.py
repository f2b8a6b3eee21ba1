# SPDX-License-Identifier: Apache-2.0

"""Speaks TLS for a server that does not: tls-front.py CERTIFICATE KEY PORT [silent]

Prints the port of 127.0.0.1 on which it listens, and hands each connection's bytes to 127.0.0.1:PORT and back. With `silent` it
accepts and says nothing.
"""
import socket
import ssl
import sys
import threading


def carry(source, sink, size=65536):
    try:
        while data := source.recv(size):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(plain, context, port):
    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(plain, server_side=True) as client:
            with socket.create_connection(("127.0.0.1", port)) as server:
                server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                upwards = threading.Thread(target=carry, args=(client, server), daemon=True)
                upwards.start()
                carry(server, client)
                upwards.join()
    except OSError:
        plain.close()


def main():
    certificate, key, port = sys.argv[1:4]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(listener.getsockname()[1], flush=True)
    silenced = []
    while True:
        plain, _ = listener.accept()
        if sys.argv[4:] == ["silent"]:
            silenced.append(plain)
        else:
            threading.Thread(target=serve, args=(plain, context, int(port)), daemon=True).start()


main()
