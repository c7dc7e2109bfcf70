/** Words of a dictionary, between white space. */
export const toWords = (text: string): string[] => text.trim().split(/\s+/)
