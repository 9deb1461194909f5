/**
 * Loaded into a service that runs on Baileys (`node --import`, `bun --preload`): points its copy of Baileys to the sandbox.
 * Takes it from the folder that the service runs in, under either of its names. Plain JavaScript, for any runtime.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { PEER_SOCKET_URL, PEER_ROOT_KEY } = process.env;
const { resolve } = createRequire(join(process.cwd(), 'package.json'));

/** Null where the service has no package of this name. */
const pathOf = (name) => {
  try {
    return resolve(name);
  } catch {
    return null;
  }
};

for (const path of ['baileys', '@whiskeysockets/baileys'].map(pathOf)) {
  if (path === null) continue;
  const { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } = await import(pathToFileURL(path).href);
  DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = PEER_SOCKET_URL;
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(PEER_ROOT_KEY, 'hex');
}
