/** A mark in every text of every body of the contract is nowhere in the clear: not in the database, its log or a backup, nor in what the service logs. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { backupFolder } from '../../src/store/admin/backup.ts';
import type { Operation } from '../../src/http/wire/operation.ts';
import { startHttp } from '../http/harness.ts';
import type { Answer } from '../support/api.ts';
import { adminToken, type Path, sendingTo, textsIn, withValue } from './bodies.ts';
import { routesOf } from './routes.ts';

/** Texts that are meant to be read without the secret (SECURITY.md), by operation. */
const inTheClear: readonly string[] = [
  'createDevice.name',
  'adoptDevice.name',
  'updateDevice.name',
  'createKey.name',
  'createUser.name',
  'updateUser.name',
  'createUserKey.name',
];

/** Texts in which nothing takes a mark: times, bytes of images and sounds, words of the network, and what needs more than one request. */
const neverTaken: readonly string[] = [
  'respondToPasskey.id',
  'respondToPasskey.rawId',
  'respondToPasskey.response.clientDataJSON',
  'respondToPasskey.response.authenticatorData',
  'respondToPasskey.response.signature',
  'respondToPasskey.response.userHandle',
  'respondToPasskey.authenticatorAttachment',
  'sendText.usernameKey',
  'sendText.mentions.0',
  'sendText.sendAt',
  'sendText.sendUntil',
  'sendMedia.usernameKey',
  'sendMedia.mediaBase64',
  'sendMedia.fileId',
  'sendMedia.mentions.0',
  'sendMedia.sendAt',
  'sendMedia.sendUntil',
  'sendDocument.usernameKey',
  'sendDocument.fileId',
  'sendDocument.mentions.0',
  'sendDocument.sendAt',
  'sendDocument.sendUntil',
  'sendVideo.usernameKey',
  'sendVideo.mediaBase64',
  'sendVideo.fileId',
  'sendVideo.mentions.0',
  'sendVideo.sendAt',
  'sendVideo.sendUntil',
  'sendAudio.usernameKey',
  'sendAudio.mediaBase64',
  'sendAudio.fileId',
  'sendAudio.sendAt',
  'sendAudio.sendUntil',
  'sendAlbum.usernameKey',
  'sendAlbum.items.0.mediaBase64',
  'sendAlbum.items.0.fileId',
  'sendAlbum.sendAt',
  'sendAlbum.sendUntil',
  'sendSticker.usernameKey',
  'sendSticker.mediaBase64',
  'sendSticker.fileId',
  'sendSticker.sendAt',
  'sendSticker.sendUntil',
  'sendLocation.usernameKey',
  'sendLocation.mentions.0',
  'sendLocation.sendAt',
  'sendLocation.sendUntil',
  'sendContact.usernameKey',
  'sendContact.mentions.0',
  'sendContact.sendAt',
  'sendContact.sendUntil',
  'sendPoll.usernameKey',
  'sendPoll.mentions.0',
  'sendPoll.sendAt',
  'sendPoll.sendUntil',
  'forwardMessage.usernameKey',
  'forwardMessage.sendAt',
  'forwardMessage.sendUntil',
  'updateScheduled.sendAt',
  'updateScheduled.sendUntil',
  'setReaction.reaction',
  'updateChat.mutedUntil',
  'updateChat.labels.0',
  'markRead.messageIds.0',
  'setMessageLabels.labels.0',
  'updateProfile.aboutExpiresAt',
  'updateProfile.usernameKey',
  'setProfilePicture.mediaBase64',
  'postStatus.background',
  'postStatus.mediaBase64',
  'postStatus.fileId',
  'postStatus.audience.only.0',
  'postStatus.audience',
  'setStatusReaction.reaction',
  'setChannelReaction.reaction',
  'setGroupPicture.mediaBase64',
  'retryFailedDeliveries.since',
  'retryWebhookDeliveries.since',
  'retryAccountWebhookDeliveries.since',
  'createKey.expiresAt',
  'updateKey.expiresAt',
  'createUserKey.expiresAt',
  'updateUserKey.expiresAt',
  'exportAnyDevice.passphrase',
  'importUserDevice.export',
  'importUserDevice.passphrase',
  'importUserDevice.proxy',
];

let marks = 0;

/** Values of all forms that a member can ask for, each with the mark by which it is found. */
const markedValues = (): readonly { readonly mark: string; readonly value: string }[] => {
  marks += 1;
  const digits = `4917${String(70_000_000 + marks)}`;
  const mark = `mark${digits}`;
  return [
    { mark, value: `Text ${mark}` },
    { mark, value: mark },
    { mark, value: `https://example.com/${mark}.png` },
    { mark, value: `http://user:${mark}@proxy.example.com:8080` },
    { mark, value: `application/${mark}` },
    { mark: digits, value: digits },
    { mark: digits, value: `${digits}@s.whatsapp.net` },
    { mark: digits, value: `1203630${digits}@g.us` },
    { mark, value: Buffer.from(`text ${mark} of a file`).toString('base64') },
    { mark, value: `data:text/plain;base64,${Buffer.from(mark).toString('base64')}` },
  ];
};

const isIn = (files: ReadonlyMap<string, Buffer>, mark: string): boolean =>
  [...files.values()].some((bytes) => bytes.includes(mark) || bytes.includes(Buffer.from(mark).toString('base64')));

const filesIn = async (folder: string): Promise<Map<string, Buffer>> => {
  const names = (await readdir(folder)).filter((name) => name !== 'secret');
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
};

interface Place {
  readonly path: Path;
  /** The mark of the value that was taken; null: none was. */
  readonly mark: string | null;
}

/** Sends each text of the body with a mark, in the first form that is taken. */
const markTexts = async (operation: Operation, send: (body: unknown) => Promise<Answer>): Promise<readonly Place[]> => {
  const { schema, examples } = operation.body!;
  const places: Place[] = [];
  for (const path of textsIn(schema)) {
    const bodies = Object.values(examples).flatMap((example) =>
      markedValues().map(({ mark, value }) => ({ mark, body: withValue(example, path, value) })),
    );
    let taken: string | null = null;
    for (const { mark, body } of bodies) {
      if ((await send(body)).status >= 300) continue;
      taken = mark;
      break;
    }
    places.push({ path, mark: taken });
  }
  return places;
};

test('no text of a request is in the clear in the files', async () => {
  const { result: http, routes } = await routesOf(() => startHttp({ adminToken, rateLimit: 1_000_000 }));
  const folder = await mkdtemp(join(tmpdir(), 'handset-sealed-'));
  try {
    const found = new Map<string, string | null>();
    for (const route of routes) {
      const { operation } = route;
      if (operation?.body === undefined) continue;
      const send = await sendingTo(http, route);
      const places = await markTexts(operation, send);
      for (const place of places) found.set([operation.id, ...place.path].join('.'), place.mark);
    }
    await backupFolder(http.dataDir, join(folder, 'backup.db'));
    const log = ['log', Buffer.from(http.log.join(''))] as const;
    const files = new Map([...(await filesIn(http.dataDir)), ...(await filesIn(folder)), log]);
    const marked = [...found].filter((entry): entry is [string, string] => entry[1] !== null);
    const shown = marked.filter(([, mark]) => isIn(files, mark)).map(([name]) => name);
    assert.ok(shown.includes('createUser.name'), 'the search sees what is in the clear');
    const unsealed = shown.filter((name) => !inTheClear.includes(name));
    assert.deepEqual(unsealed, []);
    const refused = [...found].filter(([, mark]) => mark === null).map(([name]) => name);
    assert.deepEqual(new Set(refused), new Set(neverTaken));
  } finally {
    await http[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
});
