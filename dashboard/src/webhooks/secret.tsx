/** The signing secret of a webhook, hidden until it is wanted, and its rotation. */
import { useState } from 'react';
import { fullTime } from '../base/format.ts';
import { texts } from '../base/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { CopyButton } from '../ui/parts.tsx';

const words = texts.webhook;

interface Props {
  readonly secret: string;
  readonly previousUntil: string | null;
  readonly rotate: () => Promise<unknown>;
}

export const Secret = ({ secret, previousUntil, rotate }: Props) => {
  const [shown, setShown] = useState(false);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <h3>{words.secret}</h3>
      <div className="row secret">
        <code>{shown ? secret : `${secret.slice(0, 6)}${'•'.repeat(16)}`}</code>
        <button type="button" className="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? texts.hide : texts.show}
        </button>
        <CopyButton text={secret} />
        <button type="button" className="quiet" onClick={() => setAsking(true)}>
          {words.rotate}
        </button>
      </div>
      {previousUntil !== null && <p className="hint">{words.previous(fullTime(previousUntil))}</p>}
      {asking && (
        <ConfirmDialog
          title={words.rotateTitle}
          text={words.rotateText}
          action={words.rotate}
          done={words.rotated}
          act={rotate}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
};
