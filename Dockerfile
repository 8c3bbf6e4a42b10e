# The service as an image: docs/containers.md. Both bases can be replaced, where no registry of images is reached.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
# The runtime that npm installs needs it.
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/install scripts/install
RUN npm ci
COPY scripts/package scripts/package
COPY src src
# The build bundles development packages. One copy of the runtime is enough: its package has the file twice, which layers
# would not see.
RUN node_modules/.bin/node scripts/package/build.ts \
  && npm prune --omit=dev \
  && rm -rf src scripts /root/.npm node_modules/node/node_modules
COPY bin bin
COPY console/dist console/dist
COPY console/vendor console/vendor
COPY LICENSE README.md CHANGELOG.md ./

FROM ${BASE_IMAGE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin \
  && groupadd --gid 10001 pinyon \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin pinyon \
  && install --directory --owner 10001 --group 10001 --mode 0700 /data /blobs
COPY --from=build /app /app
# The code cache cannot be written under a read-only root file system; the program starts without it.
ENV PATH=/app/node_modules/.bin:$PATH \
    NODE_ENV=production \
    PINYON_DATA_DIR=/data \
    PINYON_BIND=0.0.0.0
RUN ln -s /app/bin/pinyon.mjs /usr/local/bin/pinyon
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 5080 5081-5180
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s \
  CMD ["node", "/app/bin/pinyon.mjs", "health"]
# As process 1, the server could not kill itself, which is its last resort, and would have to bury the orphans of others.
ENTRYPOINT ["tini", "-s", "--", "node", "/app/bin/pinyon.mjs"]
