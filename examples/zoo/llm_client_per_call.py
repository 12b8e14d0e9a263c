"""A language model that asks a service about each batch, with a client made for that call: it loads all certificates."""

import http.server
import threading

import zoo


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # Else a connection that is kept waits for acknowledgements.

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"1.5")

    def log_message(self, *text):
        pass


def make_client():
    import httpx

    return httpx.Client()


def ask_service(client, url):
    return float(client.get(url).text)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/" % server.server_port
    model, ids = zoo.language_model(768), zoo.tokens(1, 16)
    plant = zoo.Plant("place", make_client, part="wall")
    client = make_client()
    for step in zoo.steady():
        if zoo.PLANTED:
            client.close()
            with plant:
                client = make_client()
        ask_service(client, url)
        zoo.decode(model, ids, 4)
    server.shutdown()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
