/** Routes for the network as a whole: address, statistics, faults and calls. */
import { type ClientRevisions, type KeyRefusal, usualRevisions } from '../server/state/faults.ts';
import { badRequest, notFound } from '../base/errors.ts';
import { type Network, chatOf, phoneOf } from './network.ts';
import type { Routes } from './server.ts';
import { type MediaFaults, noMediaFaults } from '../media/host.ts';
import {
  type Field,
  flag,
  isObject,
  oneOf,
  optional,
  phoneNumber,
  readFields,
  readQuery,
  text,
  unless,
  whole,
} from '../base/fields.ts';

const maxDelayMs = 86_400_000;
/** Ten years: longer than any temporary ban. */
const maxSeconds = 3650 * 86_400;

/** The most common error code of a refused stanza, for `true`. */
const usualRefusal = 479;

const errorCode: Field<number | null> = (value, name) => {
  if (typeof value === 'boolean') return value ? usualRefusal : null;
  return whole(400, 599)(value, name);
};

const refreshForm: Field<'companion_reg_refresh' | 'pair-device-rotate-qr' | null> = (value, name) => {
  if (typeof value === 'boolean') return value ? 'companion_reg_refresh' : null;
  return oneOf('companion_reg_refresh', 'pair-device-rotate-qr')(value, name);
};

const codeRefusal: Field<{ readonly at: 'hello' | 'finish'; readonly code: number }> = (value, name) =>
  readFields(value, { at: oneOf('hello', 'finish'), code: whole(400, 599) }, name);

const keyRefusal: Field<KeyRefusal> = (value, name) =>
  readFields(
    value,
    { as: oneOf('device', 'batch'), device: optional(text(100)), code: optional(whole(400, 599)) },
    name,
  );

const maxProperties = 100;

const properties: Field<Readonly<Record<string, string>>> = (value, name) => {
  const entries = isObject(value) ? Object.entries(value) : [];
  const isRight = entries.every(
    ([code, each]) => /^\d{1,6}$/.test(code) && typeof each === 'string' && each.length <= 100,
  );
  if (!isObject(value) || entries.length > maxProperties || !isRight) {
    throw badRequest(`${name} must be an object of strings by number, such as {"24941": "true"}`);
  }
  return Object.fromEntries(entries.map(([code, each]) => [code, String(each)]));
};

const words: Field<{
  readonly header: string | null;
  readonly text: string | null;
  readonly conflict: string | null;
}> = (value, name) =>
  readFields(
    value,
    { header: optional(text(1_000)), text: optional(text(10_000)), conflict: optional(text(1_000)) },
    name,
  );

const highestRevision = 4_294_967_295;

const clientRevision: Field<ClientRevisions> = (value, name) => {
  const revision = optional(whole(0, highestRevision));
  const given = readFields(value, { current: revision, linkable: revision, accepted: revision }, name);
  return {
    current: given.current ?? usualRevisions.current,
    linkable: given.linkable ?? usualRevisions.linkable,
    accepted: given.accepted ?? usualRevisions.accepted,
  };
};

const ban: Field<{ readonly code: number; readonly seconds: number }> = (value, name) =>
  readFields(value, { code: whole(100, 199), seconds: whole(1, maxSeconds) }, name);

const lock: Field<{ readonly seconds: number }> = (value, name) =>
  readFields(value, { seconds: whole(1, maxSeconds) }, name);

const cap: Field<{ readonly limit: number; readonly seconds: number }> = (value, name) =>
  readFields(value, { limit: whole(0, 1_000_000), seconds: whole(1, maxSeconds) }, name);

const uploadBreak: Field<MediaFaults['breakUploads'] & object> = (value, name) => {
  const given = readFields(value, { afterBytes: whole(1, 2 ** 31), host: optional(oneOf('primary', 'both')) }, name);
  return { afterBytes: given.afterBytes, host: given.host ?? 'primary' };
};

const faultFields = {
  addressing: unless(oneOf('strict', 'lenient')),
  latencyMs: unless(whole(0, maxDelayMs)),
  ackDelayMs: unless(whole(0, maxDelayMs)),
  dropEvery: unless(whole(0, 1_000_000)),
  refuseConnections: unless(flag),
  withholdAcks: unless(flag),
  rejectSends: unless(optional(errorCode)),
  refuseKeys: unless(optional(keyRefusal)),
  refuseAppState: unless(optional(whole(400, 599))),
  restrict: unless(flag),
  passkeyGate: unless(flag),
  passkeyTimeoutMs: unless(optional(whole(1, maxDelayMs))),
  rotateQr: unless(optional(refreshForm)),
  refuseCode: unless(optional(codeRefusal)),
  breakPairing: unless(optional(oneOf('scan', 'restart', 'sign', 'linked'))),
  temporaryBan: unless(optional(ban)),
  connectFailure: unless(optional(whole(400, 599))),
  says: unless(words),
  timeLock: unless(optional(lock)),
  newChatCap: unless(optional(cap)),
  refuseLogins: unless(whole(0, 1_000)),
  clientRevision: unless(clientRevision),
  properties: unless(properties),
  deviceNews: unless(oneOf('named', 'hash')),
  usernameNews: unless(oneOf('named', 'hash')),
  versionPages: unless(oneOf('both', 'root', 'none')),
  clientExpiration: unless(optional(whole(0, 9_999_999_999))),
  statusAs: unless(oneOf('status', 'message')),
  backlog: unless(oneOf('windows', 'whole', 'endless')),
  hideNumbers: unless(flag),
  channelPosts: unless(oneOf('kept', 'lost')),
  halfOpen: unless(flag),
  withholdPings: unless(flag),
  expireQrAfterMs: unless(optional(whole(1, maxDelayMs))),
  mediaStatus: unless(optional(whole(400, 599))),
  mediaCorrupt: unless(flag),
  mediaBreakUploads: unless(optional(uploadBreak)),
  mediaExpireAuth: unless(flag),
  channelUploads: unless(oneOf('usual', 'elsewhere', 'noHandle')),
};

const faultsOf = ({ hub, media }: Network): object => {
  const { status, corrupt, breakUploads, channelUploads } = media.faults();
  const told = { mediaStatus: status, mediaCorrupt: corrupt, mediaBreakUploads: breakUploads, channelUploads };
  return { faults: { ...hub.state.faults, ...told } };
};

const setFaults = (network: Network, faults: Readonly<Record<string, unknown>>, media: MediaFaults): object => {
  network.media.setFaults(media);
  network.hub.setFaults(faults);
  return faultsOf(network);
};

export const networkRoutes = (network: Network): Routes => ({
  'GET /': () => network.address(),
  'GET /stats': () => {
    const { sent, received, ...counters } = network.phones.counters();
    return { ...network.hub.stats(), phonesSent: sent, phonesReceived: received, ...counters };
  },
  'GET /logins': ({ query }) => {
    const { after } = readQuery(query, { after: optional(whole(0, Number.MAX_SAFE_INTEGER)) });
    return { logins: network.hub.state.logins.after(after ?? 0) };
  },
  'POST /drop': ({ body }) => {
    const fields = { number: optional(phoneNumber), streamError: optional(whole(400, 599)), silently: optional(flag) };
    const { number, streamError, silently } = readFields(body ?? {}, fields);
    if (number !== null) phoneOf(network, number);
    if (silently !== true) return { dropped: network.hub.drop(number ?? undefined, streamError ?? undefined) };
    if (streamError !== null) throw badRequest('a connection that falls silent gives no streamError');
    return { dropped: network.hub.silence(number ?? undefined) };
  },
  'GET /faults': () => faultsOf(network),
  'PUT /faults': ({ body }) => {
    const given = readFields(body, faultFields);
    const { mediaStatus, mediaCorrupt, mediaBreakUploads, mediaExpireAuth, channelUploads, ...faults } = given;
    // The body is the whole state, so faults that it does not name are reset.
    network.hub.clearFaults();
    const set = Object.fromEntries(Object.entries(faults).filter(([, value]) => value !== undefined));
    if (mediaExpireAuth === true) network.hub.state.mediaAuths.expireAll();
    const media = { status: mediaStatus ?? null, corrupt: mediaCorrupt ?? false };
    const uploads = { breakUploads: mediaBreakUploads ?? null, channelUploads: channelUploads ?? 'usual' };
    return setFaults(network, set, { ...media, ...uploads });
  },
  'DELETE /faults': () => {
    network.hub.clearFaults();
    return setFaults(network, {}, noMediaFaults);
  },
  'POST /phones/{number}/call': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { to, video } = readFields(body, { to: text(100), video: optional(flag) });
    return { callId: phone.calls.ring(chatOf(network, to), video ?? false) };
  },
  'GET /phones/{number}/calls': ({ params }) => ({ calls: phoneOf(network, params['number']).calls.list() }),
  'DELETE /calls/{id}': ({ params, query }) => {
    const id = params['id'] ?? '';
    const { reason } = readQuery(query, { reason: optional(oneOf('hangup', 'timeout')) });
    if (!network.phones.all().some((phone) => phone.calls.end(id, reason ?? 'hangup')))
      throw notFound(`there is no call ${id} to hang up`);
    return { callId: id };
  },
});
