# Handset in a container: no root, nothing but its data written, the health checked.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has the Node that is needed; the package of the same name is for machines that do not.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node dashboard/build.ts --required \
  && node tools/bundle.ts --required --for-user 10001 \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
# glibc keeps what is freed: with eight arenas a core, in each of them; and up to 19 MB of a start, unless it is told from where on to give back.
ENV NODE_ENV=production HANDSET_HOST=0.0.0.0 HANDSET_DATA_DIR=/data MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=4194304 MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /app
RUN groupadd --system --gid 10001 handset \
  && useradd --system --uid 10001 --gid handset --no-create-home --shell /usr/sbin/nologin handset \
  && install -d -o handset -g handset -m 0700 /data
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/src ./src
COPY --from=build --chown=root:root /app/sandbox ./sandbox
COPY --from=build --chown=root:root /app/tools ./tools
COPY --from=build --chown=root:root /app/package-lock.json ./package-lock.json
COPY --from=build --chown=root:root /app/dist ./dist
COPY --from=build --chown=root:root /app/dashboard/dist ./dashboard/dist
RUN ln -s /app/src/cli/launch.js /usr/local/bin/handset
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "/app/dist/health.js"]
# A young generation of at most 12 MB: V8's own limit depends on the machine, and reaches 128 MB. The old one is collected when it has grown by half:
# left to itself, V8 lets it grow to three times what is live after a burst, or collects twice a second, 60 ms each, while a stranger writes long messages.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "--expose-gc", "/app/src/cli/launch.js"]
CMD ["start"]
