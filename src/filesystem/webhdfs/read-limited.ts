/** The body of an answer as text; rejects with code `ANSWER_TOO_LARGE` as soon as there is more than `maxBytes`. */
export const readLimited = async (response: Response, maxBytes: number): Promise<string> => {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw Object.assign(new RangeError(`the answer is larger than ${maxBytes} bytes`), { code: 'ANSWER_TOO_LARGE' })
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
