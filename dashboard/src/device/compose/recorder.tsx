/** Records a voice message with the microphone of the browser. */
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../api/client.ts';
import { playTime } from '../../base/format.ts';
import { useTick } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';

const words = texts.compose.record;

/** The first one that the browser can write; voice messages are Ogg with Opus. */
const types = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4'] as const;

/** Browsers give the microphone to pages over https and on localhost only. */
export const canRecord = (): boolean =>
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- the types leave out plain http and old browsers
  navigator.mediaDevices !== undefined && typeof MediaRecorder !== 'undefined';

const fileOf = async (recording: Blob, type: string): Promise<File> => {
  // Loaded on first use.
  const sound = type.startsWith('audio/webm') ? await (await import('./remux.ts')).toOgg(recording) : recording;
  const [container = ''] = sound.type.split(';');
  return new File([sound], `${words.name}.${container === 'audio/mp4' ? 'm4a' : 'ogg'}`, { type: container });
};

const problemOf = (error: unknown): string => {
  if (!(error instanceof DOMException)) return messageOf(error);
  return error.name === 'NotFoundError' ? words.none : words.denied;
};

interface Running {
  readonly recorder: MediaRecorder;
  readonly since: number;
}

interface Props {
  readonly take: (files: readonly File[], as: 'voice') => void;
  readonly fail: (problem: string | null) => void;
  readonly disabled: boolean;
}

const begin = async (): Promise<MediaRecorder> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder = new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType });
  recorder.start();
  return recorder;
};

/** Ends the recording and releases the microphone. */
const end = async (recorder: MediaRecorder): Promise<Blob> => {
  const pieces: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  const stopped = new Promise((resolve) => {
    recorder.addEventListener('stop', resolve);
  });
  recorder.stop();
  await stopped;
  for (const track of recorder.stream.getTracks()) track.stop();
  return new Blob(pieces, { type: recorder.mimeType });
};

export const Recorder = ({ take, fail, disabled }: Props) => {
  const [running, setRunning] = useState<Running | null>(null);
  const now = useTick(500, running !== null);
  const latest = useRef<MediaRecorder | null>(null);
  // Releases the microphone when the page is left.
  useEffect(
    () => () => {
      for (const track of latest.current?.stream.getTracks() ?? []) track.stop();
    },
    [],
  );
  const start = async (): Promise<void> => {
    fail(null);
    try {
      latest.current = await begin();
      setRunning({ recorder: latest.current, since: Date.now() });
    } catch (error) {
      fail(problemOf(error));
    }
  };
  const stop = async (keep: boolean): Promise<void> => {
    if (running === null) return;
    setRunning(null);
    try {
      const recording = await end(running.recorder);
      if (keep) take([await fileOf(recording, running.recorder.mimeType)], 'voice');
    } catch (error) {
      fail(messageOf(error));
    }
  };
  if (running === null) {
    return (
      <button
        type="button"
        className="icon"
        data-record=""
        aria-label={words.start}
        disabled={disabled}
        onClick={() => void start()}
      >
        {icons.microphone}
      </button>
    );
  }
  return (
    <div className="recording" role="group" aria-label={words.running}>
      <span className="recording-dot" aria-hidden="true" />
      <span role="timer" className="recording-time">
        {playTime(Math.max(0, (now - running.since) / 1000))}
      </span>
      <button type="button" className="small" onClick={() => void stop(true)}>
        {words.finish}
      </button>
      <button type="button" className="icon" aria-label={words.cancel} onClick={() => void stop(false)}>
        ×
      </button>
    </div>
  );
};
