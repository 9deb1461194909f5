/** An unsent message: its text, its state and what the user can do. */
import { useEffect, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import { clockTime, fileSize, fullTime } from '../../base/format.ts';
import { type Entry, isExpired, isWritten } from '../../outbox/entry.ts';
import { texts } from '../../base/texts.ts';
import { icons, Ticks } from '../../ui/icons.tsx';
import { Part } from '../shown/part.tsx';
import { useShown } from '../shown/shown.ts';
import { RichText } from './rich-text.tsx';

const words = texts.outbox;

const usePreview = ({ key, type, state }: Entry): string | null => {
  const { outbox } = useAccount();
  const [url, setUrl] = useState<string | null>(null);
  const file = type === 'image' || type === 'sticker' ? outbox.fileOf(key) : undefined;
  useEffect(() => {
    if (file === undefined) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return state === 'sent' ? null : url;
};

const What = ({ entry }: { readonly entry: Entry }) => {
  const { type, text, file } = entry;
  const preview = usePreview(entry);
  return (
    <>
      {preview !== null && file !== null && <img src={preview} alt={file.name} />}
      {preview === null && file !== null && (
        <Part icon={icons.file} kind={texts.chat.type[type]} title={file.name}>
          <span className="dim">{fileSize(file.bytes)}</span>
        </Part>
      )}
      {file === null && type !== 'text' && <p className="kind">{texts.chat.type[type]}</p>}
      {text !== null && (
        <p className="text">
          <RichText text={text} mentions={[]} />
        </p>
      )}
    </>
  );
};

/** Progress of the upload of a large file. */
const Uploading = ({ entry: { key, percent = 0 } }: { readonly entry: Entry }) => {
  const { outbox } = useAccount();
  return (
    <span className="row end">
      <progress max={100} value={percent} aria-label={words.upload} />
      <span className="dim">{percent}%</span>
      <button type="button" className="small" title={words.cancelUploadHint} onClick={() => outbox.drop(key)}>
        {words.cancelUpload}
      </button>
    </span>
  );
};

export const Unsent = ({ entry }: { readonly entry: Entry }) => {
  const { outbox } = useAccount();
  const { correct } = useShown();
  const { key, state, error, at, file, field = null } = entry;
  const ended = state === 'failed' || state === 'unanswered';
  const tick = state === 'failed' ? 'failed' : state === 'sent' ? 'accepted' : 'pending';
  const isLost = file !== null && error === words.fileLost;
  return (
    <li className="bubble out unsent" data-state={state} data-key={key}>
      <What entry={entry} />
      <span className="bubble-foot">
        <time dateTime={at} title={fullTime(at)}>
          {clockTime(at)}
        </time>
        <Ticks state={tick} label={words.state[state]} />
      </span>
      {state === 'uploading' && <Uploading entry={entry} />}
      {error !== null && (
        <p className="bubble-error" role={ended ? 'alert' : 'status'}>
          {error}
        </p>
      )}
      {ended && (
        <span className="row end">
          {!isLost && !isExpired(entry) && (
            <button type="button" className="small" title={words.retryHint} onClick={() => outbox.retry(key)}>
              {words.retry}
            </button>
          )}
          {state === 'failed' && !isLost && field !== null && isWritten(entry) && (
            <button type="button" className="small" title={words.correctHint} onClick={() => correct(entry)}>
              {words.correct}
            </button>
          )}
          <button type="button" className="small quiet" title={words.discardHint} onClick={() => outbox.drop(key)}>
            {words.discard}
          </button>
        </span>
      )}
    </li>
  );
};
