// The HTML pages behind an invite's link.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A form with a button, because opening the link must not accept the invite. */
export function acceptancePage({ email, link }: { readonly email: string; readonly link: string }): string {
  return page(
    'You are invited',
    `<p>This invites <b>${escaped(email)}</b> to an organization on this server.</p>
<form method="post" action="/accept-invite">
<input type="hidden" name="token" value="${escaped(link)}">
<p><label>Your name (optional) <input name="name" maxlength="512" autocomplete="name"></label></p>
<p><button>Accept the invite</button></p>
</form>`,
  );
}

export function expiredPage(): string {
  return page(
    'This link no longer works',
    '<p>It was used, replaced by a newer one, or is more than a week old. Ask for a new invite.</p>',
  );
}

export function welcomePage(email: string, accessToken: string): string {
  return page(
    'Welcome',
    `<p><b>${escaped(email)}</b> is now a member of the organization.</p>
<p>This token opens the administration for half an hour:</p>
<p><textarea readonly rows="8" cols="60">${escaped(accessToken)}</textarea></p>`,
  );
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
