"""An upload handler of the standard library's HTTP server that decodes photographs at full size, and makes them small afterwards."""

import http.client
import http.server
import io
import threading

import zoo


def thumbnail(data):
    from PIL import Image

    picture = Image.open(io.BytesIO(data)).convert("RGB")
    return picture.resize((224, 224))


def draft(data):
    from PIL import Image

    picture = Image.open(io.BytesIO(data))
    picture.draft("RGB", (224, 224))
    return picture.resize((224, 224))


def photograph():
    import numpy
    from PIL import Image

    noise = numpy.random.default_rng(0).integers(0, 255, (60, 80, 3), dtype=numpy.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).resize((1600, 1200), Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
    return file.getvalue()


def make_handler(model, plant):
    import numpy
    import torch

    class Upload(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # Head and body in one packet: apart they meet a delayed acknowledgement.

        def do_POST(self):
            data = self.rfile.read(int(self.headers["Content-Length"]))
            if zoo.PLANTED:
                with plant:
                    picture = thumbnail(data)
            else:
                picture = draft(data)
            pixels = torch.from_numpy(numpy.array(picture)).permute(2, 0, 1)[None].float() / 255
            with torch.no_grad():
                label = int(model(pixel_values=pixels).last_hidden_state.mean(1).argmax())
            body = b'{"label": %d}' % label
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Upload


def upload(address, data, enough):
    connection = http.client.HTTPConnection(*address)
    while not enough.is_set():
        connection.request("POST", "/", data)
        connection.getresponse().read()
    connection.close()


def main():
    plant = zoo.Plant("place", thumbnail, part="wall", causes=("cpu.preprocessing", "cpu.native"))
    server = http.server.HTTPServer(("127.0.0.1", 0), make_handler(zoo.vision_model(512), plant))
    steps, enough = iter(zoo.steady()), threading.Event()
    finish_request = server.RequestHandlerClass.do_POST

    def counted(handler):
        finish_request(handler)
        if next(steps, None) is None:
            handler.close_connection = True
            enough.set()

    server.RequestHandlerClass.do_POST = counted
    client = threading.Thread(target=upload, args=(server.server_address, photograph(), enough))
    client.start()
    server.handle_request()
    client.join()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
