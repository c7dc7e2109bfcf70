/** How much of an answer is taken from a name node or data node, in bytes: whoever answers there may be anybody. */

/** Of an error, a redirect, the word that an upload is complete: an exception with its stack. The rest is not looked at. */
export const maxErrorBytes = 64 * 1024

/** Of one status, or a yes or no. */
export const maxJsonBytes = 1024 * 1024

/** Of a page of a listing: some 1 000 entries (`dfs.ls.limit`), at the most 1 KB of JSON each where names are long. */
export const maxPageBytes = 16 * 1024 * 1024

/** Of a listing of an old cluster that cannot page: some 250 000 entries. */
export const maxListingBytes = 128 * 1024 * 1024
