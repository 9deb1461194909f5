/** The known differences of traffic to stock Baileys: each has a row in docs/internals/wire.md that says why. */
import type { Entry } from './explain.ts';
import { smallKinds } from './small-kinds.ts';

const pairing = ['pairing by QR', 'pairing by code'];
const month = 'login after four weeks';
const agedLogins = ['login after an hour', 'login after a day', 'login after eight days', month];
const logins = [...pairing, 'login with messages waiting', 'later login', ...agedLogins];
const retries = ['retry asked by us', 'retry asked of a LID'];
const onlineLogin = 'login, online';
const onlineText = 'text received, online';
const [kinds, changes] = ['other kinds', 'changes of messages'];
const [groups, account] = ['groups made and changed', 'the account kept'];
const [mention, announced] = ['a mention in a group of LIDs', 'a reaction in an announcement group'];

export const entries: readonly Entry[] = [
  {
    id: 'client-revision',
    patterns: ['- login {*tertiary: *', '+ login {*tertiary: *'],
    scenarios: [...logins, onlineLogin],
  },
  {
    id: 'login-payload',
    patterns: ['- login {*lidDbMigrated: false*', '+ login {*lc: 1*lidDbMigrated: true*'],
    scenarios: [...logins, onlineLogin],
  },
  {
    id: 'presence',
    patterns: ['- <presence name="Ada" type="available"/>', '+ <presence name="Ada" type="unavailable"/>'],
    scenarios: logins,
  },
  {
    id: 'presence-of-name',
    patterns: ['- *<presence/>', '- <presence name="Ada"/>'],
    scenarios: [...logins, onlineLogin, ...retries],
  },
  {
    id: 'unified-session',
    patterns: ['- *<ib><unified_session id="ID"/></ib>', '<ib><unified_session *', '* < <ib><unified_session *'],
    scenarios: logins,
  },
  {
    id: 'login-order',
    patterns: ['<iq * < <iq *', '<receipt * < <iq *', '<iq * < <ib><unified_session *', '<iq * < <presence *'],
    scenarios: [...logins, onlineLogin],
  },
  {
    // At a later login stock has a status post waiting, see `status-ack`.
    id: 'backlog',
    patterns: ['- *<ib><offline_batch count="100"/></ib>', '+ *<ib><offline_batch count="200"/></ib>'],
    scenarios: logins,
  },
  {
    id: 'app-state',
    patterns: [
      '- *<iq *xmlns="w:sync:app:state"*',
      '+ *<iq *xmlns="w:sync:app:state"*',
      '<* < *w:sync:app:state*',
      '<ack *server_sync"/> < *',
      '*w:sync:app:state* < *',
    ],
    scenarios: pairing,
  },
  {
    id: 'account-limits',
    patterns: ['+ <iq type="get" to="@s.whatsapp.net" xmlns="w:mex" *'],
    scenarios: [...pairing, ...agedLogins],
  },
  {
    id: 'signed-prekey',
    patterns: ['+ <iq * xmlns="encrypt" *<rotate>*'],
    scenarios: [month],
    takesTime: true,
  },
  {
    id: 'link-code',
    patterns: [
      '- *companion_hello*<link_code_pairing_nonce>0</*',
      '+ *companion_hello*<link_code_pairing_nonce><1 bytes></*',
    ],
    scenarios: ['pairing by code'],
  },
  {
    id: 'link-code-order',
    patterns: ['* < <ack id="ID" to="@s.whatsapp.net" class="notification" type="link_code_companion_reg"/>'],
    scenarios: ['pairing by code'],
  },
  {
    id: 'receipt-inactive',
    patterns: ['- *<receipt id="ID" to="*"/>', '+ *<receipt id="ID" to="*" type="inactive"/>'],
    except: [onlineText],
  },
  {
    id: 'lid-receipts',
    patterns: [
      // What waited may come before stock is online, and after it.
      '- *<receipt id="ID" to="bob@s.whatsapp.net"*',
      '+ <receipt id="ID" to="bob-lid@lid"/>',
      '- <receipt id="ID" type="retry" to="cyd@s.whatsapp.net">*',
      '+ <receipt id="ID" type="retry" to="cyd-lid@lid">*',
      '- <ack id="ID" to="cyd@s.whatsapp.net" class="message" error="500" *',
      '+ <ack id="ID" to="cyd-lid@lid" class="message" error="500" *',
      '<receipt id="ID" type="retry" * < <ack id="ID" to="cyd-lid@lid" *',
    ],
    scenarios: ['login with messages waiting', onlineText, 'retry asked by us'],
  },
  {
    id: 'lid-addressing',
    patterns: [
      '- *<message id="ID" to="*@s.whatsapp.net" *',
      '+ *<message id="ID" to="*-lid@lid" * peer_recipient_pn="*@s.whatsapp.net">*',
      '- message {deviceSentMessage: {destinationJid: *@s.whatsapp.net, *',
      '+ message {deviceSentMessage: {destinationJid: *-lid@lid, *',
      '- *<ack id="ID" to="*@s.whatsapp.net" class="receipt"*',
      '+ *<ack id="ID" to="*@lid" class="receipt"*',
      '- message {reactionMessage: {key: {remoteJid: bob@s.whatsapp.net, *',
      '+ message {reactionMessage: {key: {remoteJid: bob-lid@lid, *',
      '- message {*participant: ada@s.whatsapp.net, quotedMessage: *',
      '+ message {*participant: ada-lid@lid, quotedMessage: *',
      '- <receipt id="ID" t="TIME" to="bob@s.whatsapp.net" type="read"/>',
      '+ <receipt id="ID" t="TIME" to="bob-lid@lid" type="read"/>',
      '- <chatstate from="ada:N@s.whatsapp.net" to="bob@s.whatsapp.net">*',
      '+ <chatstate from="ada-lid:N@lid" to="bob-lid@lid">*',
      '- <presence to="bob@s.whatsapp.net" * type="subscribe"/>',
      '+ <presence to="bob-lid@lid" * type="subscribe"/>',
      '- <call * to="bob@s.whatsapp.net" *<reject *',
      '+ <call * to="bob-lid@lid" *<reject *',
    ],
  },
  {
    id: 'group-people',
    patterns: [
      '- <iq * xmlns="w:g2" *<participant jid="bob@s.whatsapp.net"/>*',
      '+ <iq * xmlns="w:g2" *<participant jid="bob-lid@lid" phone_number="bob@s.whatsapp.net"/>*',
    ],
    scenarios: [groups],
  },
  {
    id: 'group-create',
    patterns: ['- <iq * xmlns="w:g2" *<create *key="*', '+ <iq * xmlns="w:g2" *<create subject="*<member_add_mode>*'],
    scenarios: [groups],
  },
  {
    id: 'group-asked',
    patterns: ['+ *<iq type="get" xmlns="w:g2" to="group@g.us" id="ID"><query request="interactive"/></iq>'],
    scenarios: [groups],
  },
  {
    id: 'labels-asked',
    patterns: [
      '+ <iq *xmlns="w:sync:app:state"*<collection name="regular" version="*" return_snapshot="false"/></sync></iq>',
    ],
    scenarios: [onlineLogin, 'login with messages waiting', 'later login', ...agedLogins],
  },
  {
    id: 'app-state-asked',
    patterns: ['- <iq * xmlns="w:sync:app:state" *<collection name="*" version="*" return_snapshot="*"/></sync></iq>'],
    scenarios: [account],
  },
  {
    id: 'profile-asked',
    patterns: ['+ <iq *<query><status/><text_status/></query>*', '+ <iq *xmlns="w:profile:picture" *'],
    scenarios: [account],
  },
  {
    id: 'about-text',
    patterns: ['+ <iq type="get" to="@s.whatsapp.net" xmlns="w:mex" *'],
    scenarios: [account],
  },
  {
    id: 'document-title',
    patterns: ['- message {documentMessage: *', '+ message {documentMessage: {*, title: *'],
    scenarios: [kinds],
  },
  {
    id: 'sticker-size',
    patterns: ['- message {stickerMessage: *', '+ message {stickerMessage: {*height: *, width: *, isAnimated: *'],
    scenarios: [kinds],
  },
  {
    id: 'edit-form',
    patterns: [
      '- message {protocolMessage: {key: *type: "MESSAGE_EDIT"*',
      '+ message {editedMessage: {message: {protocolMessage: {key: *type: "MESSAGE_EDIT"*',
    ],
    scenarios: [changes],
  },
  {
    id: 'secret-of-actions',
    patterns: [
      '- message {*messageContextInfo: {messageSecret: <32 bytes>*',
      '+ message {messageContextInfo: {messageAddOnDurationInSecs: 604800}, pinInChatMessage: *',
      '+ message {protocolMessage: {key: {*type: "REVOKE"}}',
    ],
    scenarios: [changes],
  },
  {
    id: 'privacy-asked',
    patterns: ['+ <iq xmlns="privacy" *'],
    scenarios: ['the acts of a conversation'],
  },
  {
    id: 'device-query',
    patterns: [
      '- *<devices version="2"/><lid/>*',
      '- *<query><contact/></query>*',
      '+ *<query><contact/><lid/></query>*',
      '+ *<query><devices version="2"/></query>*',
      '+ *context="background" *<query><lid/></query>*',
    ],
  },
  { id: 'key-bundles', patterns: ['- *<key><user jid="*', '+ *<key><user jid="*'] },
  {
    id: 'own-device-in-groups',
    patterns: ['- <message id="ID" to="group@g.us" *<to jid="ada-lid:N@lid">*', '+ <message id="ID" to="group@g.us" *'],
    scenarios: ['group', mention, announced],
  },
  {
    id: 'group-hash',
    patterns: ['- <message id="ID" to="group@g.us" *', '+ <message id="ID" to="group@g.us" * phash="*'],
    scenarios: ['group', mention, announced],
  },
  {
    id: 'group-metadata',
    patterns: [
      '- <iq type="get" xmlns="w:g2" to="group@g.us" *',
      '<iq type="get" xmlns="w:g2" * < <ack * type="w:gp2"/>',
    ],
    scenarios: ['group', mention, announced],
  },
  {
    id: 'mentions',
    patterns: ['- *message {*mentionedJid: [bob@s.whatsapp.net]*', '+ *message {*mentionedJid: [bob-lid@lid]*'],
    scenarios: [mention],
  },
  {
    id: 'sealed-reactions',
    patterns: ['- *message {*reactionMessage: {key*', '+ *message {*encReactionMessage: {*'],
    scenarios: [announced],
  },
  {
    id: 'block-by-lid',
    patterns: [
      '+ <iq xmlns="blocklist" * type="set" id="ID"><item action="block" jid="dot-lid@lid" display_name="Dot"/></iq>',
    ],
    scenarios: ['somebody without a number blocked'],
  },
  {
    id: 'reporting-token',
    patterns: ['+ *<reporting><reporting_token v="2"><16 bytes></reporting_token></reporting>*'],
  },
  {
    id: 'privacy-tokens',
    patterns: ['+ *<cstoken><32 bytes></cstoken>*', '- *<iq *<tokens><token jid="bob@s.whatsapp.net" *'],
  },
  {
    id: 'status-ack',
    patterns: ['+ <ack id="ID" to="status@broadcast" class="status" *'],
    scenarios: ['status post received'],
  },
  {
    id: 'withheld',
    patterns: ['+ <ack id="ID" to="bob*" class="message" type="text" *'],
    scenarios: ['view-once message received'],
  },
  {
    id: 'resend',
    patterns: [
      '- *<message id="ID" to="bob*',
      '- *message {deviceSentMessage: *',
      '+ <message id="ID" to="bob-lid@lid" type="text" device_fanout="false">*',
    ],
    scenarios: ['retry asked of us'],
  },
  {
    id: 'placeholder',
    patterns: [
      '+ <message id="ID" to="ada@s.whatsapp.net" type="text" category="peer" *',
      '+ message {protocolMessage: {*peerDataOperationRequestMessage*',
      '+ <ack id="ID" to="ada@s.whatsapp.net" class="receipt" type="peer_msg"/>',
      '+ <receipt id="ID" to="ada-lid@lid" type="peer_msg"/>',
    ],
    scenarios: retries,
  },
  ...smallKinds,
];
