// Shows times in the browser's zone where the site does not know the reader's.
const STYLE = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
};

export function showLocalTimes() {
  const times = document.querySelectorAll("time[data-local]");
  if (!times.length) return;
  const format = new Intl.DateTimeFormat(document.documentElement.lang, STYLE);
  for (const time of times) time.textContent = format.format(new Date(time.dateTime));
}
