// A snippet with its marks. Everything else in it stays text, whatever it looks like.

const MARKS = /<mark>(.*?)<\/mark>/gs;

export function Marked({ text }: { readonly text: string }) {
  // Splitting at a pattern with a group puts the marked parts at the odd places.
  const parts = text.split(MARKS);
  return (
    <>
      {parts.map((part, at) =>
        at % 2 === 1 ? <mark key={`${at} ${part}`}>{part}</mark> : <span key={`${at} ${part}`}>{part}</span>,
      )}
    </>
  );
}
