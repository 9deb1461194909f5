/** The attached files, each with a preview and the kind it is sent as. */
import { useEffect, useId, useState } from 'react';
import { fileSize } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { ErrorText } from '../../ui/parts.tsx';
import { albumIn, type Attachment } from './draft.ts';
import { canBeOnce, type FileKind, kindsOf } from './kinds.ts';

const words = texts.compose;

const Preview = ({ file }: { readonly file: File }) => {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  if (url === null) return null;
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(file.type)) return <img src={url} alt={words.preview(file.name)} />;
  if (file.type.startsWith('video/')) return <video src={url} muted aria-label={words.preview(file.name)} />;
  if (file.type.startsWith('audio/')) return <audio src={url} controls aria-label={words.preview(file.name)} />;
  return icons.file;
};

interface Props {
  readonly attachments: readonly Attachment[];
  readonly error: string | null;
  readonly change: (id: number, change: { readonly kind?: FileKind; readonly isOnce?: boolean }) => void;
  readonly remove: (id: number) => void;
  readonly asAlbum: boolean;
  readonly setAlbum: (asAlbum: boolean) => void;
}

export const Attachments = ({ attachments, error, change, remove, asAlbum, setAlbum }: Props) => {
  const errorId = useId();
  if (attachments.length === 0) return <ErrorText error={error} />;
  return (
    <>
      <ul className="attachments" aria-label={words.files} aria-describedby={error === null ? undefined : errorId}>
        {attachments.map(({ id, file, kind, isOnce }) => (
          <li key={id} className="preview">
            <Preview file={file} />
            <span className="preview-name">
              {file.name} <span className="dim">{fileSize(file.size)}</span>
            </span>
            {kindsOf(file).length > 1 && (
              <select
                aria-label={words.sendAs(file.name)}
                value={kind}
                onChange={(input) =>
                  change(id, { kind: kindsOf(file).find((one) => one === input.target.value) ?? kind })
                }
              >
                {kindsOf(file).map((one) => (
                  <option key={one} value={one}>
                    {words.kinds[one]}
                  </option>
                ))}
              </select>
            )}
            {canBeOnce(kind) && (
              <label className="check">
                <input
                  type="checkbox"
                  checked={isOnce}
                  aria-label={words.viewOnceOf(file.name)}
                  onChange={(input) => change(id, { isOnce: input.target.checked })}
                />
                {words.viewOnce}
              </label>
            )}
            <button type="button" className="icon" aria-label={words.remove(file.name)} onClick={() => remove(id)}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {albumIn(attachments).length > 0 && (
        <label className="check">
          <input type="checkbox" checked={asAlbum} onChange={(input) => setAlbum(input.target.checked)} />
          {words.asAlbum}
        </label>
      )}
      <ErrorText id={errorId} error={error} />
    </>
  );
};
