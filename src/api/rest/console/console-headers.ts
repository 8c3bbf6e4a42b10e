// The headers that the console adds to its requests.

/** The half of a session that only pages of its own origin know. */
export const SESSION_HEADER = 'x-pinyon-session';
/** The id of the project in which the request acts. */
export const PROJECT_HEADER = 'x-pinyon-project';
