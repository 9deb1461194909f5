/** A player for voice messages and other sound. */
import { type RefObject, useRef, useState } from 'react';
import type { Message } from '../../../api/message.ts';
import { playTime } from '../../../base/format.ts';
import { texts } from '../../../base/texts.ts';
import { icons } from '../../../ui/icons.tsx';
import { Action } from '../../../ui/parts.tsx';
import { Unplayable } from './unplayable.tsx';
import { useFile } from './use-file.ts';

const bars = 40;
const height = 24;

/** The loudest value for each bar; a flat line without values. */
const heightsOf = (loudness: readonly number[]): readonly number[] =>
  Array.from({ length: bars }, (_, bar) => {
    const start = Math.floor((bar * loudness.length) / bars);
    const end = Math.max(start + 1, Math.floor(((bar + 1) * loudness.length) / bars));
    return Math.max(2, (Math.max(0, ...loudness.slice(start, end)) / 100) * height);
  });

/** `played`: 0 to 1. */
const Waveform = ({ loudness, played }: { readonly loudness: readonly number[]; readonly played: number }) => (
  <svg viewBox={`0 0 ${bars * 4} ${height}`} preserveAspectRatio="none" aria-hidden="true">
    {heightsOf(loudness).map((tall, bar) => (
      <rect
        key={bar}
        className={bar / bars < played ? 'played' : ''}
        x={bar * 4 + 0.5}
        y={(height - tall) / 2}
        width={3}
        height={tall}
        rx={1.5}
      />
    ))}
  </svg>
);

const words = texts.message.sound;

/** State and controls of the player, which starts once its file is loaded. */
const usePlayer = (element: RefObject<HTMLAudioElement | null>) => {
  const [playing, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState<number | null>(null);
  const [broken, setBroken] = useState(false);
  const read = (): void => {
    const audio = element.current;
    if (audio === null) return;
    setPlaying(!audio.paused && !audio.ended);
    setAt(audio.ended ? 0 : audio.currentTime);
    if (Number.isFinite(audio.duration)) setLength(audio.duration);
  };
  const toggle = async (): Promise<void> => {
    const audio = element.current;
    if (audio?.paused === false) audio.pause();
    else await audio?.play();
  };
  const seek = (seconds: number): void => {
    if (element.current !== null) element.current.currentTime = seconds;
    setAt(seconds);
  };
  return { playing, at, length, broken, fail: () => setBroken(true), read, toggle, seek };
};

export const Sound = ({ message }: { readonly message: Message }) => {
  const element = useRef<HTMLAudioElement>(null);
  const file = useFile(message);
  const player = usePlayer(element);
  const length = player.length ?? message.media?.seconds ?? 0;
  const label = message.media?.voice === true ? words.voice : words.audio;
  if (player.broken) return <Unplayable why={texts.message.file.notPlayed} file={file} />;
  return (
    <div className="sound" role="group" aria-label={label}>
      <Action
        className="icon play"
        aria-label={player.playing ? words.pause : words.play}
        act={file.url === null ? file.load : player.toggle}
      >
        {player.playing ? icons.pause : icons.play}
      </Action>
      <div className="wave">
        <Waveform loudness={message.media?.waveform ?? []} played={length === 0 ? 0 : player.at / length} />
        <input
          type="range"
          min={0}
          max={length}
          step={0.1}
          value={Math.min(player.at, length)}
          disabled={file.url === null}
          aria-label={words.position}
          aria-valuetext={`${playTime(player.at)} / ${playTime(length)}`}
          onChange={(input) => player.seek(Number(input.target.value))}
        />
      </div>
      <span className="play-time">{playTime(player.at > 0 ? player.at : length)}</span>
      {file.url !== null && (
        <audio
          ref={element}
          src={file.url}
          autoPlay
          onPlay={player.read}
          onPause={player.read}
          onTimeUpdate={player.read}
          onLoadedMetadata={player.read}
          onEnded={player.read}
          onError={player.fail}
        />
      )}
    </div>
  );
};
