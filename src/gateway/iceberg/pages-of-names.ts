import { SluiceError } from '../../errors.ts'

/** Names of an answer that is not asked for in pages. */
const maxNames = 10_000

/** Names of a page, where the client does not say how many. */
const pageNames = 1_000

export type PageParams = { readonly pageToken?: string | undefined; readonly pageSize?: number | undefined }

/** Some names, and the token of the next page where there are more. */
export type NamePage = { readonly names: readonly string[]; readonly 'next-page-token'?: string }

/**
 * A client that sends a `pageToken`, be it empty, gets pages, and any other all names at once. A token is the last name before.
 * @throws SluiceError `bad-parameter` more names than one answer has, or a token that no answer has had
 */
export const toNamePage = async (
  find: (startAfter: string | undefined) => AsyncIterable<string>,
  { pageToken, pageSize = pageNames }: PageParams,
): Promise<NamePage> => {
  if (pageToken?.includes('/'))
    throw new SluiceError('bad-parameter', 'Parameter "pageToken": expected the next-page-token of the page before')
  const names: string[] = []
  const most = pageToken === undefined ? maxNames : pageSize
  for await (const name of find(pageToken === '' ? undefined : pageToken)) {
    if (names.length < most) {
      names.push(name)
      continue
    }
    if (pageToken !== undefined) return { names, 'next-page-token': names.at(-1) ?? '' }
    throw new SluiceError('bad-parameter', `There are more than ${maxNames} names: ask for pages, with pageToken=`)
  }
  return { names }
}
