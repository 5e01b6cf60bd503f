/** Of the description, not of the program: the first part is that of the path, `/v2`. Additions raise the second. */
export const API_VERSION = '2.1.0';
