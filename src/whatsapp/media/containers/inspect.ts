/** Compares a file with the format required for sending. Runs in the media process. */
import { EncodedPacketSink } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import type { RandomAccessBytes } from '../../../domain/messages/files.ts';
import { invalidRequest } from '../../../errors.ts';
import {
  BrokenContainer,
  readContainer,
  type Judged,
  type Container,
  wholeSeconds,
  type VideoTrack,
  withInput,
} from './container.ts';

interface AudioFacts {
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

const judgeAudio = (container: Container | null): Judged<AudioFacts> => judge(container, wantedAudio, () => true);

const judgeVoice = (container: Container | null): Judged<AudioFacts> =>
  judge(container, wantedVoice, (mimetype) => mimetype === voiceMimetype && container?.audio[0]?.channels === 1);

export type VoiceFacts = AudioFacts & {
  readonly waveform: Uint8Array;
};

interface VideoFacts {
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
}

const wanted = 'The video must be MP4 with H.264 video and AAC audio';
const wantedNote = 'A video note must be a square MP4 with H.264 video and AAC audio';
/** As the apps record them (zapo, 2026-08-19). */
const maxNoteSeconds = 60;

/** Baseline, Main, Extended and High (8 bits, 4:2:0), which every phone decodes. The profile is the first byte of the parameters. */
const isCommonProfile = ({ parameters }: VideoTrack): boolean => /^avc[13]\.(?:42|4d|58|64)/i.test(parameters ?? '');

const isPlayable = (track: VideoTrack): boolean => track.codec === 'avc' && isCommonProfile(track);

const judgeVideo = (container: Container | null): Judged<VideoFacts> => {
  if (container === null) return { wanted, keep: { video: false, audio: false } };
  const [track] = container.video;
  if (track === undefined) throw invalidRequest(`${wanted}; it has no video track`);
  if (!(container.seconds > 0)) throw invalidRequest('The video has no length: it lasts 0 seconds');
  if (!(track.width > 0 && track.height > 0))
    throw invalidRequest('The video has no size: it is 0 pixels wide or high');
  const isVideoFit = container.video.every(isPlayable);
  const isAudioFit = container.audio.every(({ codec }) => codec === 'aac');
  if (container.form !== 'mp4' || !isVideoFit || !isAudioFit) {
    return { wanted, keep: { video: isPlayable(track), audio: container.audio[0]?.codec === 'aac' } };
  }
  return { fit: { seconds: wholeSeconds(container.seconds), width: track.width, height: track.height } };
};

/** As `judgeVideo`; a video note is square, and lasts at most a minute. */
const judgeNote = (container: Container | null): Judged<VideoFacts> => {
  const seconds = wholeSeconds(container?.seconds ?? 0);
  if (seconds > maxNoteSeconds)
    throw invalidRequest(`A video note may last ${maxNoteSeconds} seconds; this video lasts ${seconds}`);
  const judged = judgeVideo(container);
  if (!('fit' in judged)) {
    const [track] = container?.video ?? [];
    const isSquare = track !== undefined && track.width === track.height;
    return { wanted: wantedNote, keep: { ...judged.keep, video: judged.keep.video && isSquare } };
  }
  if (judged.fit.width === judged.fit.height) return judged;
  // The picture is encoded again; the sound is already as required.
  return { wanted: wantedNote, keep: { video: false, audio: true } };
};

export interface Facts {
  readonly video: VideoFacts;
  readonly note: VideoFacts;
  readonly audio: AudioFacts;
  readonly voice: VoiceFacts;
}

const points = 64;
const sampleRate = 16_000;
/** Packets of 20 ms decoded per point: a minute in total, whatever the length. */
const packetsOfPoint = 47;

/** 0 to 100, relative to the loudest part, as the web app draws it. */
const scaled = (levels: Float64Array): Uint8Array => {
  const loudest = Math.max(...levels);
  return Uint8Array.from(levels, (level) => (loudest > 0 ? Math.floor((100 * level) / loudest) : 0));
};

const loudnessOf = (samples: Float32Array): number => {
  let sum = 0;
  for (const sample of samples) sum += Math.abs(sample);
  return samples.length === 0 ? 0 : sum / samples.length;
};

/** 64 values from 0 to 100. The file is Ogg with mono Opus. Throws BrokenContainer. */
const waveformOf = (file: RandomAccessBytes): Promise<Uint8Array> =>
  withInput(file, async (input) => {
    const track = await input.getPrimaryAudioTrack();
    if (track === null) throw new BrokenContainer('there is no sound');
    const sink = new EncodedPacketSink(track);
    const pointSeconds = (await track.computeDuration()) / points;
    const decoder = new OpusDecoder({ sampleRate, channels: 1 });
    await decoder.ready;
    const levels = new Float64Array(points);
    let packet = await sink.getFirstPacket();
    for (let point = 0; point < points; point += 1) {
      const end = (point + 1) * pointSeconds;
      // Skips the rest of the previous point.
      if (packet !== null && packet.timestamp < end - pointSeconds) packet = await sink.getPacket(end - pointSeconds);
      let count = 0;
      for (; packet !== null && packet.timestamp < end && count < packetsOfPoint; count += 1) {
        const { channelData, errors } = decoder.decodeFrame(packet.data);
        if (errors.length > 0) throw new BrokenContainer('the sound cannot be decoded');
        levels[point]! += loudnessOf(channelData[0]!);
        packet = await sink.getNextPacket(packet);
      }
      if (count > 0) levels[point]! /= count;
    }
    decoder.free();
    return scaled(levels);
  });

const inspectVoice = async (file: RandomAccessBytes): Promise<Judged<VoiceFacts>> => {
  const judged = judgeVoice(await readContainer(file));
  return 'fit' in judged ? { fit: { ...judged.fit, waveform: await waveformOf(file) } } : judged;
};

const inspectors: { readonly [Kind in keyof Facts]: (file: RandomAccessBytes) => Promise<Judged<Facts[Kind]>> } = {
  video: async (file) => judgeVideo(await readContainer(file)),
  note: async (file) => judgeNote(await readContainer(file)),
  audio: async (file) => judgeAudio(await readContainer(file)),
  voice: inspectVoice,
};

const nouns: Readonly<Record<keyof Facts, string>> = {
  video: 'video',
  note: 'video note',
  audio: 'audio',
  voice: 'voice message',
};

/** Throws InvalidRequest for a file that is damaged, truncated or empty. */
export const inspect = async <Kind extends keyof Facts>(
  file: RandomAccessBytes,
  kind: Kind,
): Promise<Judged<Facts[Kind]>> => {
  try {
    return await inspectors[kind](file);
  } catch (error) {
    if (!(error instanceof BrokenContainer)) throw error;
    throw invalidRequest(`The ${nouns[kind]} is damaged or ends too early`);
  }
};
