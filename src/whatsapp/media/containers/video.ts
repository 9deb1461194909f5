/** The video format that the apps play: MP4 with H.264 and AAC. */
import { invalidRequest } from '../../../errors.ts';
import type { Container, VideoTrack } from './container.ts';
import { type Judged, wholeSeconds } from './judged.ts';

export interface VideoFacts {
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

export const judgeVideo = (container: Container | null): Judged<VideoFacts> => {
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
export const judgeNote = (container: Container | null): Judged<VideoFacts> => {
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
  // The picture is encoded again, the sound is as it should be.
  return { wanted: wantedNote, keep: { video: false, audio: true } };
};
