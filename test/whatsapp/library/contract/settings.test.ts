/** Contracts of what is used: settings, functions, protobuf fields and versions of Baileys. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as baileys from 'baileys';
import { DEFAULT_CONNECTION_CONFIG, DEFAULT_ORIGIN, proto, WA_CERT_DETAILS } from 'baileys';
import { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
import { digest, inner } from './support.ts';

const packageOf = (name: string): Record<string, unknown> & { version: string } =>
  JSON.parse(readFileSync(new URL(`../../../../node_modules/${name}/package.json`, import.meta.url), 'utf8'));

test('Baileys is the version that the overrides were written for, with the bridge that it wants', () => {
  const { version, dependencies } = packageOf('baileys');
  assert.equal(version, '7.0.0-rc14');
  assert.equal(Reflect.get(dependencies as object, 'whatsapp-rust-bridge'), packageOf('whatsapp-rust-bridge').version);
  assert.deepEqual(DEFAULT_CONNECTION_CONFIG.version, [2, 3000, 1_043_857_760]);
});

test('what a login and a pairing say of the client is made of these settings, by these functions', () => {
  const { browser, countryCode, syncFullHistory, waWebSocketUrl } = DEFAULT_CONNECTION_CONFIG;
  assert.deepEqual(
    { browser, countryCode, syncFullHistory, waWebSocketUrl, origin: DEFAULT_ORIGIN },
    {
      browser: ['Mac OS', 'Chrome', '14.4.1'],
      countryCode: 'US',
      syncFullHistory: true,
      waWebSocketUrl: 'wss://web.whatsapp.com/ws/chat',
      origin: 'https://web.whatsapp.com',
    },
  );
  const names = ['getUserAgent', 'getWebInfo', 'getClientPayload', 'generateLoginNode', 'generateRegistrationNode'];
  assert.deepEqual(
    names.map((name) => `${name} ${digest(inner('Utils/validate-connection.js', name))}`),
    [
      'getUserAgent ffedb474b9f4',
      'getWebInfo 4005609752ff',
      'getClientPayload e34fcdb4148a',
      'generateLoginNode 2ac61f306985',
      'generateRegistrationNode df07441af153',
    ],
  );
});

test('the functions that are used have so many parameters', () => {
  const functions = {
    buildAckStanza: 3,
    buildPairingQRData: 5,
    configureSuccessfulPairing: 2,
    decryptMediaRetryData: 3,
    encodeSignedDeviceIdentity: 2,
    encodeSyncdPatch: 4,
    encryptMediaRetryRequest: 3,
    extractE2ESessionFromRetryReceipt: 1,
    getCodeFromWSError: 1,
    getCompanionPlatformId: 1,
    getErrorCodeFromStreamError: 1,
    signedKeyPair: 2,
    xmppPreKey: 2,
    xmppSignedPreKey: 1,
  };
  const found = Object.keys(functions).map((name) => [name, Reflect.get(Reflect.get(baileys, name), 'length')]);
  assert.deepEqual(Object.fromEntries(found), functions);
  assert.equal(getMessageReportingToken.length, 3);
});

test('the network is trusted by this key', () => {
  assert.deepEqual(
    [WA_CERT_DETAILS.SERIAL, Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY).toString('hex')],
    [0, '142375574d0a587166aae71ebe516437c4a28b73e3695c6ce1f7f9545da8ee6b'],
  );
});

/** The number of a field on the wire, from a message that has this field alone. */
const numberOf = (
  type: { encode(message: object): { finish(): Uint8Array } },
  field: string,
  value: unknown,
): number => {
  const bytes = type.encode({ [field]: value }).finish();
  const [low = 0, high = 0] = bytes;
  return (low < 128 ? low : (low & 127) | (high << 7)) >> 3;
};

test('protobuf messages have the fields that we read, under their numbers', () => {
  const { Message } = proto;
  const content = {
    audioMessage: 8,
    buttonsMessage: 42,
    buttonsResponseMessage: 43,
    commentMessage: 77,
    contactMessage: 4,
    contactsArrayMessage: 13,
    conversation: 1,
    deviceSentMessage: 31,
    documentMessage: 7,
    encReactionMessage: 56,
    eventMessage: 75,
    extendedTextMessage: 6,
    groupInviteMessage: 28,
    highlyStructuredMessage: 14,
    imageMessage: 3,
    interactiveMessage: 45,
    interactiveResponseMessage: 48,
    listMessage: 36,
    listResponseMessage: 39,
    locationMessage: 5,
    messageContextInfo: 35,
    pollCreationMessage: 49,
    pollCreationMessageV2: 60,
    pollCreationMessageV3: 64,
    pollCreationMessageV5: 111,
    protocolMessage: 12,
    ptvMessage: 66,
    reactionMessage: 46,
    secretEncryptedMessage: 82,
    senderKeyDistributionMessage: 2,
    stickerMessage: 26,
    templateButtonReplyMessage: 29,
    templateMessage: 25,
    videoMessage: 9,
  };
  const found = Object.keys(content).map((name) => [name, numberOf(Message, name, name === 'conversation' ? 'x' : {})]);
  assert.deepEqual(Object.fromEntries(found), content);
  const some = Buffer.from('x');
  const { HandshakeMessage, CertChain, SyncdPatch, SyncdSnapshot, LIDMigrationMappingSyncPayload } = proto;
  const { NoiseCertificate } = CertChain;
  const others = [
    [HandshakeMessage, 'clientHello', {}, 2],
    [HandshakeMessage, 'serverHello', {}, 3],
    [HandshakeMessage, 'clientFinish', {}, 4],
    [CertChain, 'leaf', {}, 1],
    [CertChain, 'intermediate', {}, 2],
    [NoiseCertificate, 'details', some, 1],
    [NoiseCertificate, 'signature', some, 2],
    [NoiseCertificate.Details, 'issuerSerial', 1, 2],
    [NoiseCertificate.Details, 'key', some, 3],
    [Message.ProtocolMessage, 'editedMessage', {}, 14],
    [Message.ProtocolMessage, 'peerDataOperationRequestResponseMessage', {}, 17],
    [Message.SecretEncryptedMessage, 'encPayload', some, 2],
    [SyncdPatch, 'mutations', [{}], 2],
    [SyncdSnapshot, 'records', [{}], 2],
    [LIDMigrationMappingSyncPayload, 'pnToLidMappings', [{ pn: 1, assignedLid: 1 }], 1],
    [proto.PrimaryEphemeralIdentity, 'publicKey', some, 1],
  ] as const;
  for (const [type, field, value, number] of others) assert.equal(numberOf(type, field, value), number, field);
});
