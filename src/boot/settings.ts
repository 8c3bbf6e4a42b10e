// The table of all settings: the source of the typed configuration, the --help text and the reference page.

import { ACCESS_SETTINGS } from './settings/access.ts';
import { ENGINE_SETTINGS } from './settings/engine.ts';
import { MODEL_SETTINGS } from './settings/models.ts';
import { MONITORING_SETTINGS } from './settings/monitoring.ts';
import { QUOTA_SETTINGS } from './settings/quotas.ts';
import { SERVING_SETTINGS } from './settings/serving.ts';
import { SIGN_IN_SETTINGS } from './settings/sign-in.ts';
import { STORAGE_SETTINGS } from './settings/storage.ts';

export type { Setting } from './settings/setting.ts';

/** In the order of the pages. */
export const SETTINGS = {
  ...STORAGE_SETTINGS,
  ...SERVING_SETTINGS,
  ...ACCESS_SETTINGS,
  ...SIGN_IN_SETTINGS,
  ...QUOTA_SETTINGS,
  ...ENGINE_SETTINGS,
  ...MODEL_SETTINGS,
  ...MONITORING_SETTINGS,
};

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['read']> };
