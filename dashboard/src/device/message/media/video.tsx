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
import { useFile, useInline } from './use-file.ts';

const words = texts.message.file;

export const Video = ({ message }: { readonly message: Message }) => {
  const { nameOf } = useShown();
  const file = useFile(message);
  const place = useInline(message, file);
  const [broken, setBroken] = useState(false);
  const [hasPicture, setPicture] = useState(true);
  const [isAsked, setAsked] = useState(false);
  const { gif = false, note = false, seconds = null, width = null, height = null } = message.media ?? {};
  const size = width !== null && height !== null ? { width, height } : {};
  const picture = hasPicture ? file.beginning : null;
  if (broken) return <Unplayable why={words.notPlayed} file={file} />;
  if (file.url === null) {
    return (
      <div className={picture === null ? '' : 'awaited'} ref={place}>
        {picture !== null && (
          // The time makes browsers paint that show nothing before the first play.
          <video
            src={`${picture}#t=0.1`}
            preload="metadata"
            muted
            playsInline
            aria-hidden="true"
            tabIndex={-1}
            {...size}
            onError={() => setPicture(false)}
          />
        )}
        <Action
          className="show-file"
          act={async () => {
            setAsked(true);
            await file.load();
          }}
        >
          {icons.play}
          {gif ? words.showGif : words.showVideo}
          {seconds !== null && !gif && <span className="dim">{playTime(seconds)}</span>}
        </Action>
      </div>
    );
  }
  return (
    <video
      className={note ? 'note' : ''}
      src={file.url}
      controls
      playsInline
      preload="metadata"
      autoPlay={(gif || isAsked) && !isStill()}
      loop={gif}
      muted={gif}
      aria-label={words.video(nameOf(authorOf(message)))}
      {...size}
      onError={() => setBroken(true)}
    />
  );
};
