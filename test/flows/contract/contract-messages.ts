/** Messages for generated requests: one to edit, one to delete, a poll, and those that wait for their time; and labels; files to send, and numbers to look up. */
import type { Known } from '../../support/arbitrary.ts';
import type { Api } from '../../support/api.ts';
import { sample } from '../../support/media.ts';

/** Operations that take what others need. */
export const endings = ['clearChat', 'updateDevice', 'disconnectDevice', 'restartDevice', 'deleteDevice'];

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

export const messagesFor = async (
  client: Api,
  device: number,
  toNumber: string,
): Promise<{ readonly own: Readonly<Record<string, Known>>; readonly known: Known }> => {
  const send = async (kind: string, body: object): Promise<Known> => {
    const answer = await client.post(`/devices/${device}/messages/${kind}`, { toNumber, ...body });
    return { messageId: [answer.body.messageId] };
  };
  const text = { message: 'first' };
  const times = { sendAt: inDays(1), sendUntil: inDays(2) };
  const label = async (name: string): Promise<string> =>
    (await client.post(`/devices/${device}/labels`, { name })).body.label.id;
  const [kept, gone] = [await label('Paid'), await label('Waiting')];
  return {
    own: {
      sendVideo: { mediaBase64: [sample('gif.mp4').toString('base64')] },
      sendAlbum: { items: [[{ mediaBase64: pixel }, { mediaBase64: pixel }]] },
      sendAudio: { mediaBase64: [sample('voice.ogg').toString('base64')] },
      lookUpNumbers: { numbers: [toNumber, `${toNumber},4915550004444`] },
      deleteLabel: { labelId: [gone] },
      editMessage: await send('text', text),
      deleteMessage: await send('text', text),
      getMessagePoll: await send('poll', { question: 'When?', options: ['today', 'tomorrow'] }),
      updateScheduled: await send('text', { ...text, ...times }),
      cancelScheduled: await send('text', { ...text, ...times }),
    },
    known: {
      sendAt: [times.sendAt],
      sendUntil: [times.sendUntil],
      labelId: [kept],
      label: [kept],
      labels: [[kept], []],
      mentionAll: [false],
      note: [false],
    },
  };
};
