# srq in a container: docker build --tag srq . && docker run --rm --read-only --volume srq:/data srq srq doctor
# glibc, for no prebuilt lock is known to work on musl (README, "Install").
ARG NODE=20-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY bin bin
COPY src src
COPY scripts scripts
COPY LICENSE ./
RUN node scripts/image-tree.mjs /tree

FROM node:${NODE}
COPY --from=build /tree/opt /opt
COPY --from=build /tree/usr /usr
COPY --from=build --chown=node:node /tree/data /data
# Settings, log and temporary files (standard input is one of them, and personal data) all lie in the volume, and nothing elsewhere.
ENV HOME=/data
ENV TMPDIR=/data
ENV SRQ_CONFIG_DIR=/data/config
ENV SRQ_STATE_DIR=/data/state
VOLUME /data
WORKDIR /data
USER node
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 CMD ["node", "/opt/srq/healthy.mjs"]
CMD ["srq", "help"]
