/** A video, or a looping one without sound. */
import { useState } from 'react';
import type { Message } from '../../../api/message.ts';
import { playTime } from '../../../base/format.ts';
import { texts } from '../../../base/texts.ts';
import { icons } from '../../../ui/icons.tsx';
import { isStill } from '../../../ui/motion.tsx';
import { Action } from '../../../ui/parts.tsx';
import { authorOf } from '../../shown/people.ts';
import { useShown } from '../../shown/shown.ts';
import { Unplayable } from './unplayable.tsx';
import { useFile } from './use-file.ts';

const words = texts.message.file;

export const Video = ({ message }: { readonly message: Message }) => {
  const { nameOf } = useShown();
  const file = useFile(message);
  const [broken, setBroken] = useState(false);
  const { gif = false, seconds = null, width = null, height = null } = message.media ?? {};
  if (broken) return <Unplayable why={words.notPlayed} file={file} />;
  if (file.url === null) {
    return (
      <Action className="show-file" act={file.load}>
        {icons.play}
        {gif ? words.showGif : words.showVideo}
        {seconds !== null && !gif && <span className="dim">{playTime(seconds)}</span>}
      </Action>
    );
  }
  return (
    <video
      src={file.url}
      controls
      playsInline
      autoPlay={!isStill()}
      loop={gif}
      muted={gif}
      aria-label={words.video(nameOf(authorOf(message)))}
      {...(width !== null && height !== null && { width, height })}
      onError={() => setBroken(true)}
    />
  );
};
