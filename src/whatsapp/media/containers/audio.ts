/** Formats of audio files and voice messages that the apps play. */
import { invalidRequest } from '../../../errors.ts';
import type { Container } from './container.ts';
import { type Judged, wholeSeconds } from './judged.ts';

export interface AudioFacts {
  readonly mimetype: string;
  readonly seconds: number;
}

const voiceMimetype = 'audio/ogg; codecs=opus';

const wantedAudio = 'The audio must be MP3, M4A or AAC with AAC, or Ogg with Opus';
const wantedVoice = 'A voice message must be Ogg with Opus in one channel';

const mimetypeOf = ({ form, audio, video }: Container): string | null => {
  const [track] = audio;
  if (track === undefined || audio.length > 1 || video.length > 0) return null;
  if (form === 'mp3' && track.codec === 'mp3') return 'audio/mpeg';
  if (form === 'ogg' && track.codec === 'opus') return voiceMimetype;
  if (track.codec !== 'aac') return null;
  return form === 'mp4' ? 'audio/mp4' : 'audio/aac';
};

const assertSound = (container: Container): void => {
  if (container.audio.length === 0) throw invalidRequest('The audio has no sound track');
  if (!(container.seconds > 0)) throw invalidRequest('The audio has no length: it lasts 0 seconds');
};

const judge = (
  container: Container | null,
  wanted: string,
  fits: (mimetype: string) => boolean,
): Judged<AudioFacts> => {
  if (container !== null) assertSound(container);
  const mimetype = container === null ? null : mimetypeOf(container);
  if (container !== null && mimetype !== null && fits(mimetype)) {
    return { fit: { mimetype, seconds: wholeSeconds(container.seconds) } };
  }
  return { wanted, keep: { video: false, audio: container?.audio[0]?.codec === 'aac' } };
};

export const judgeAudio = (container: Container | null): Judged<AudioFacts> =>
  judge(container, wantedAudio, () => true);

export const judgeVoice = (container: Container | null): Judged<AudioFacts> =>
  judge(container, wantedVoice, (mimetype) => mimetype === voiceMimetype && container?.audio[0]?.channels === 1);
