/** Text of the document, which is in English, with code between backticks. */
export const Prose = ({ text }: { readonly text: string }) => (
  <span lang="en">
    {text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
  </span>
);
