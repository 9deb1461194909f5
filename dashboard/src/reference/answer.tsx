/** The response to a request: JSON, streamed text, an image, or a file to save. */
import { useEffect } from 'react';
import { texts } from '../base/texts.ts';

const words = texts.reference;

interface Head {
  readonly status: string;
  readonly requestId: string | null;
}

export type Answer =
  | { readonly kind: 'sending' }
  | { readonly kind: 'failed'; readonly message: string }
  | (Head & { readonly kind: 'text'; readonly text: string })
  | (Head & { readonly kind: 'file'; readonly isImage: boolean; readonly url: string; readonly bytes: number });

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Calls back with the text so far, because a stream has no end. */
export const readAnswer = async (response: Response, show: (answer: Answer) => void): Promise<void> => {
  const type = response.headers.get('content-type') ?? '';
  const head: Head = {
    status: `${response.status} ${response.statusText}`.trim(),
    requestId: response.headers.get('x-request-id'),
  };
  if (!/json|^text\//.test(type)) {
    const file = await response.blob();
    const isImage = type.startsWith('image/');
    show({ kind: 'file', ...head, isImage, url: URL.createObjectURL(file), bytes: file.size });
    return;
  }
  let text = '';
  show({ kind: 'text', ...head, text });
  if (response.body === null) return;
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    show({ kind: 'text', ...head, text });
  }
  if (type.includes('json')) show({ kind: 'text', ...head, text: pretty(text) });
};

const File = ({ url, bytes, isImage }: { readonly url: string; readonly bytes: number; readonly isImage: boolean }) => {
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <>
      {isImage && <img src={url} alt={words.image} />}
      <a href={url} download="handset">
        {words.save(bytes)}
      </a>
    </>
  );
};

export const AnswerView = ({ answer }: { readonly answer: Answer | null }) => (
  <div className="answer" aria-live="polite">
    {answer?.kind === 'sending' && <p className="hint">{texts.loading}</p>}
    {answer?.kind === 'failed' && <p className="error">{answer.message}</p>}
    {(answer?.kind === 'text' || answer?.kind === 'file') && (
      <p>
        <strong>{answer.status}</strong> <span className="hint">{answer.requestId}</span>
      </p>
    )}
    {answer?.kind === 'text' && answer.text !== '' && (
      <pre tabIndex={0} role="region" aria-label={words.response}>
        {answer.text}
      </pre>
    )}
    {answer?.kind === 'file' && <File url={answer.url} bytes={answer.bytes} isImage={answer.isImage} />}
  </div>
);
