// What control words of RTF stand for: signs, encodings of text, and groups that hold no text of the document.

/** Control words and symbols that are one sign. */
export const SIGNS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '\u2014',
  endash: '\u2013',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201C',
  rdblquote: '\u201D',
  bullet: '\u2022',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  nestcell: ' ',
  nestrow: ' ',
  '~': '\u00A0',
  _: '\u2011',
  '\\': '\\',
  '{': '{',
  '}': '}',
};

/** Groups that begin with one of these, or with `\*`, hold no text of the document. */
export const SILENT_GROUPS = new Set(
  (
    'colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf listtext ' +
    'pntext fldinst nonshppict xe tc rxe filetbl revtbl comment template private falt panose'
  ).split(' '),
);

export const DEFAULT_ENCODING = 'windows-1252';

const CHARSETS: Readonly<Record<number, string>> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};
const CODE_PAGES: Readonly<Record<number, string>> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};

/** The encoding of a font's character set; undefined where that is the one of the document. */
export function charsetEncoding(charset: number): string | undefined {
  return CHARSETS[charset];
}

export function codePageEncoding(page: number): string {
  return CODE_PAGES[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : DEFAULT_ENCODING);
}
