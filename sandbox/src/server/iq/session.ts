/** Requests of a client after its login, and keep-alives. */
import { QueryIds } from 'baileys';
import { uploadLimit } from '../../media/host.ts';
import type { Account } from '../../base/types.ts';
import { childOf, element, errorOf, resultOf, textOf } from '../../base/nodes.ts';
import { isObject } from '../../base/fields.ts';
import { capOf, timeLockOf } from '../messages/limits.ts';
import { answerAboutChannels } from './channels.ts';
import { propertiesFor } from '../accounts/properties.ts';
import { aboutOwnUsername } from './own-username.ts';
import { UPDATE_TEXT_STATUS, updateTextStatus } from '../messages/text-status.ts';
import { beginBacklog } from '../messages/queue.ts';
import { type HubState, sendNow } from '../state/state.ts';
import { unlink } from '../linking/adv.ts';
import type { IqHandler, IqTable } from './table.ts';

const takeTelemetry: IqHandler = (_hub, _device, iq) => resultOf(iq);

const clean: IqHandler = (_hub, _device, iq) => resultOf(iq);

const pong: IqHandler = (hub, _device, iq) => {
  hub.counters.keepAlives += 1;
  return hub.faults.withholdPings ? null : resultOf(iq);
};

const becomeActive: IqHandler = (hub, device, iq) => {
  sendNow(device, resultOf(iq));
  const session = hub.sessions.get(device);
  if (session !== undefined) beginBacklog(hub, session);
  return null;
};

const becomePassive: IqHandler = (hub, device, iq) => {
  const session = hub.sessions.get(device);
  if (session !== undefined) Object.assign(session, { flowing: false, backlog: null });
  return resultOf(iq);
};

const props: IqHandler = (hub, { account }, iq) =>
  resultOf(iq, [propertiesFor(hub, account, childOf(iq, 'props')?.attrs.hash)]);

const MEDIA_TTL_S = 3600;

const mediaHost = (hostname: string, type: string) =>
  element('host', { hostname, type, maxContentLengthBytes: String(uploadLimit) });

const mediaConnection: IqHandler = (hub, _device, iq) => {
  const attrs = {
    auth: hub.mediaAuths.issue(),
    ttl: String(MEDIA_TTL_S),
    auth_ttl: String(MEDIA_TTL_S),
    max_buckets: '12',
  };
  const fallback = hub.mediaFallback();
  const hosts = [
    mediaHost(hub.mediaHost(), 'primary'),
    ...(fallback === null ? [] : [mediaHost(fallback, 'fallback')]),
  ];
  return resultOf(iq, [element('media_conn', attrs, hosts)]);
};

const variablesIn = (asked: string): unknown => {
  try {
    const parsed: unknown = JSON.parse(asked);
    return isObject(parsed) ? parsed['variables'] : null;
  } catch {
    return null;
  }
};

/** Account limits, text status, the own username and channels; other queries are unknown here. */
const mexAnswer = (hub: HubState, account: Account, id: string | undefined, asked: string): object | undefined => {
  if (id === UPDATE_TEXT_STATUS) return updateTextStatus(hub, account, variablesIn(asked)) ?? undefined;
  const answer = aboutOwnUsername[id ?? ''];
  if (answer !== undefined) return answer(hub, account, variablesIn(asked));
  if (id === QueryIds.REACHOUT_TIMELOCK) return { xwa2_fetch_account_reachout_timelock: timeLockOf(hub) };
  return id === QueryIds.MESSAGE_CAPPING_INFO ? { xwa2_message_capping_info: capOf(hub, account) } : undefined;
};

const mex: IqHandler = (hub, device, iq) => {
  const query = childOf(iq, 'query');
  const asked = textOf(query);
  if (asked === null) return errorOf(iq, 400, 'bad-request');
  const { query_id: id = '' } = query?.attrs ?? {};
  const aboutChannels = answerAboutChannels(hub, device.account, id, variablesIn(asked));
  if (aboutChannels !== null) return resultOf(iq, [element('result', {}, Buffer.from(JSON.stringify(aboutChannels)))]);
  const data = mexAnswer(hub, device.account, id, asked);
  const unknown = { errors: [{ message: 'unknown query', extensions: { error_code: 404 } }], data: null };
  return resultOf(iq, [element('result', {}, Buffer.from(JSON.stringify(data === undefined ? unknown : { data })))]);
};

const removeCompanion: IqHandler = (hub, device, iq) => {
  const removal = childOf(iq, 'remove-companion-device');
  const target = hub.registry.findDevice(removal?.attrs.jid);
  if (target === null || target.account !== device.account || target.id === 0) {
    return errorOf(iq, 404, 'item-not-found');
  }
  sendNow(device, resultOf(iq));
  unlink(hub, target);
  return null;
};

export const sessionIqs: IqTable = {
  'passive set active': becomeActive,
  'passive set passive': becomePassive,
  'abt get': props,
  'w:p get': pong,
  'w:stats ': takeTelemetry,
  'w:stats set': takeTelemetry,
  'urn:xmpp:whatsapp:dirty set clean': clean,
  'w:m set': mediaConnection,
  'w:mex get': mex,
  'md set remove-companion-device': removeCompanion,
};
