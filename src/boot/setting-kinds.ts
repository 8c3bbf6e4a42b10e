// Kinds of settings: how the text of an environment variable becomes a value, and the message when it does not.
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { CLOUDS } from '../domain/index-model.ts';
import type { Region } from '../domain/regions.ts';

export interface SettingKind<Value> {
  /** The accepted values, for people: `number, 0-65535`. */
  readonly form: string;
  /** @throws BadValue with the violated rule; the message never repeats the text */
  readonly read: (text: string) => Value;
}

/** The rule that a value violates, worded to follow the variable's name: `must be a whole number`. */
export class BadValue extends Error {}

/** An inclusive range. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export interface MailServerSetting {
  readonly host: string;
  readonly port: number;
  readonly implicitTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
}

const PORT_MAX = 65_535;
const KEY_CHARS_MIN = 8;
const KEY_CHARS_MAX = 512;
const CLIENT_ID_CHARS_MIN = 4;
const CLIENT_ID_CHARS_MAX = 128;
const CLIENT_SECRET_CHARS_MIN = 16;
const NODE_SECRET_CHARS_MIN = 32;
const BEARER_CHARS_MAX = 8_192;
/** By the version of the protocol. */
const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

export const text: SettingKind<string> = { form: 'text', read: (value) => value };

export const path: SettingKind<string> = { form: 'path', read: (value) => value };

export function wholeNumber(min: number, max: number, unit = ''): SettingKind<number> {
  const form = `number, ${min}-${max}${unit && ` ${unit}`}`;
  return {
    form,
    read: (value) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= min && number <= max)) {
        throw new BadValue(`must be a whole number from ${min} to ${max}${unit && ` (${unit})`}`);
      }
      return number;
    },
  };
}

export const port: SettingKind<number> = wholeNumber(0, PORT_MAX);

export const portRange: SettingKind<PortRange> = {
  form: 'range of ports, first-last',
  read: (value) => {
    const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(value) ?? [];
    const range = { first: Number(first), last: Number(last) };
    if (!(range.first >= 1 && range.first <= range.last && range.last <= PORT_MAX)) {
      throw new BadValue(`must be two ports from 1 to ${PORT_MAX}, the lower first, for example 5081-5999`);
    }
    return range;
  },
};

export const flag: SettingKind<boolean> = {
  form: 'true or false',
  read: (value) => {
    if (['true', '1', 'yes', 'on'].includes(value.toLowerCase())) return true;
    if (['false', '0', 'no', 'off'].includes(value.toLowerCase())) return false;
    throw new BadValue('must be true or false');
  },
};

export function oneOf<const Choice extends string>(choices: readonly Choice[]): SettingKind<Choice> {
  return {
    form: choices.join(', '),
    read: (value) => {
      const choice = choices.find((each) => each === value);
      if (choice === undefined) throw new BadValue(`must be one of ${choices.join(', ')}`);
      return choice;
    },
  };
}

/** A DNS name or an IP address without scheme, port and path; lower-cased. */
export const hostName: SettingKind<string> = {
  form: 'host name',
  read: (value) => {
    const name = value.toLowerCase();
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^\[[0-9a-f:]+\]$/.test(name)) {
      throw new BadValue('must be a bare host name, without scheme, port and path');
    }
    return name;
  },
};

export const hostNames: SettingKind<readonly string[]> = {
  form: 'list of host names, separated by commas, or *',
  read: (value) => value.split(',').map((each) => (each.trim() === '*' ? '*' : hostName.read(each.trim()))),
};

function visibleText(charsMin: number, charsMax: number): SettingKind<string> {
  return {
    form: `text, ${charsMin}-${charsMax} visible characters`,
    read: (value) => {
      if (!/^[\x21-\x7e]+$/.test(value) || value.length < charsMin || value.length > charsMax) {
        throw new BadValue(`must be ${charsMin} to ${charsMax} visible ASCII characters without spaces`);
      }
      return value;
    },
  };
}

export const apiKey: SettingKind<string> = visibleText(KEY_CHARS_MIN, KEY_CHARS_MAX);
export const clientId: SettingKind<string> = visibleText(CLIENT_ID_CHARS_MIN, CLIENT_ID_CHARS_MAX);
/** Must be longer than a key, because its holder owns everything. */
export const clientSecret: SettingKind<string> = visibleText(CLIENT_SECRET_CHARS_MIN, KEY_CHARS_MAX);
/** Longer again, because its holder passes for a node, and nobody types it. */
export const nodeSecret: SettingKind<string> = visibleText(NODE_SECRET_CHARS_MIN, KEY_CHARS_MAX);

/** Sent in a header. Some are long tokens with claims. */
export const bearerKey: SettingKind<string> = visibleText(1, BEARER_CHARS_MAX);

const SMTP_PORT = 587;
const SMTPS_PORT = 465;

/** False if a percent sign does not begin an encoded character, as in a password that is not encoded. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** `smtps` uses TLS from the first byte; `smtp` upgrades by STARTTLS if the server offers it. */
export const mailServer: SettingKind<MailServerSetting> = {
  form: 'smtp://user:password@host:port or smtps://…',
  read: (value) => {
    const url = URL.canParse(value) && isDecodable(value) ? new URL(value) : null;
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
      throw new BadValue('must be a URL like smtps://user:password@mail.example.org:465');
    }
    const implicitTls = url.protocol === 'smtps:';
    return {
      host: url.hostname,
      port: Number(url.port) || (implicitTls ? SMTPS_PORT : SMTP_PORT),
      implicitTls,
      user: url.username === '' ? null : decodeURIComponent(url.username),
      password: url.password === '' ? null : decodeURIComponent(url.password),
    };
  },
};

/** Its parameters, as `sslmode`, are those of libpq. */
export const postgresUrl: SettingKind<string> = {
  form: 'postgres://user:password@host:port/database',
  read: (value) => {
    const url = URL.canParse(value) && isDecodable(value) ? new URL(value) : null;
    if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2) {
      throw new BadValue('must be a URL like postgres://user:password@db.example.org:5432/pinyon');
    }
    return value;
  },
};

export const mailAddress: SettingKind<string> = {
  form: 'e-mail address',
  read: (value) => {
    if (!/^[^\s<>@]+@[^\s<>@]+$/.test(value)) throw new BadValue('must be a bare e-mail address');
    return value;
  },
};

export type BlobPlaceSetting =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

export const blobPlace: SettingKind<BlobPlaceSetting> = {
  form: 'path, file:///FOLDER or s3://bucket/prefix',
  read: (value) => {
    if (value.startsWith('file:')) return { kind: 'folder', path: folderOf(value) };
    if (!value.startsWith('s3:')) return { kind: 'folder', path: value };
    const [, bucket, prefix = ''] =
      /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[A-Za-z0-9_=-][A-Za-z0-9._=-]*\/?)*))?$/.exec(
        value,
      ) ?? [];
    if (bucket === undefined) {
      throw new BadValue('must be a path or a URL like s3://bucket or s3://bucket/some/prefix');
    }
    return { kind: 's3', bucket, prefix: prefix.replace(/\/$/, '') };
  },
};

function folderOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new BadValue('must be file:// followed by an absolute path');
  }
}

/** The URL of a server's root, without a slash at its end. */
export const publicAddress: SettingKind<string> = {
  form: 'http://host:port or https://…',
  read: (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    const isRoot = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
    if (url === null || !/^https?:$/.test(url.protocol) || !isRoot) {
      throw new BadValue('must be a URL without a path, like https://vectors.example.org');
    }
    return url.origin;
  },
};

/** IP addresses, and ranges of them as in `10.0.0.0/8`. */
export const addressRanges: SettingKind<readonly string[]> = {
  form: 'list of addresses and ranges, separated by commas',
  read: (value) =>
    value.split(',').map((entry) => {
      const range = entry.trim();
      const [address = '', bits, ...more] = range.split('/');
      const bitsMax = ADDRESS_BITS[isIP(address)] ?? 0;
      const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
      if (bitsMax === 0 || !isRange || more.length > 0) {
        throw new BadValue('must be a list like 127.0.0.1,10.0.0.0/8,fd00::/8');
      }
      return range;
    }),
};

/** The URL of a server. */
export const httpAddress: SettingKind<string> = {
  form: 'http://host:port or https://…',
  read: (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
      throw new BadValue('must be a URL like https://s3.example.org');
    }
    return value;
  },
};

export const AUTO = 'auto';

/** An address, or `auto` for one that the server finds itself. */
export const findableAddress: SettingKind<string> = {
  form: `${httpAddress.form}, or ${AUTO}`,
  read: (value) => (value === AUTO ? value : httpAddress.read(value)),
};

export const cloudRegions: SettingKind<readonly Region[]> = {
  form: 'list of cloud:region, separated by commas',
  read: (value) =>
    value.split(',').map((entry) => {
      const [, name, region] = /^(\w+):([a-z0-9-]+)$/.exec(entry.trim()) ?? [];
      const cloud = CLOUDS.find((each) => each === name);
      if (cloud === undefined || region === undefined) {
        throw new BadValue(
          'must be a list like aws:us-east-1,gcp:europe-west4; clouds are aws, gcp and azure',
        );
      }
      return { cloud, region };
    }),
};
