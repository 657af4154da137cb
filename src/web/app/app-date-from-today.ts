/** The day in UTC that is so many days from today. */
export const appDateFromToday = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
