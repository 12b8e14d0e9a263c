# InferScope and its Java runtime, to analyse traces:
#
#   scripts/package tar && docker build -t inferscope .
#   docker run --rm -v "$PWD:/work" inferscope analyze trace.json.gz
#
# For an image with the program to observe, see docs/install.md.
FROM debian:12-slim AS unpacked
RUN apt-get update && apt-get install -y --no-install-recommends xz-utils
COPY target/packages/inferscope-*-linux-x86_64.tar.xz /tmp/inferscope.tar.xz
RUN mkdir /opt/inferscope && tar xf /tmp/inferscope.tar.xz -C /opt/inferscope --strip-components=1

FROM debian:12-slim
COPY --from=unpacked /opt/inferscope /opt/inferscope
RUN ln -s /opt/inferscope/bin/inferscope /usr/local/bin/inferscope
WORKDIR /work
ENTRYPOINT ["inferscope"]
