/** What the page of a plan does: filter, find, sort, compare, play. Without it everything is there, one below the other. */
export const PAGE_SCRIPT = `
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const cards = all('#videos .card');
  const list = document.getElementById('videos');
  const find = document.getElementById('find');
  const sort = document.getElementById('sort');
  const chips = all('.chips button');
  const show = () => {
    const on = chips.find((chip) => chip.getAttribute('aria-pressed') === 'true');
    const action = on ? on.dataset.action : '';
    const words = find ? find.value.toLowerCase().split(/\\s+/).filter(Boolean) : [];
    let count = 0;
    for (const card of cards) {
      const text = card.dataset.text;
      const isShown = (action === '' || card.dataset.action === action) && words.every((word) => text.includes(word));
      card.hidden = !isShown;
      if (isShown) count += 1;
    }
    const told = document.getElementById('count');
    if (told) told.textContent = count === cards.length ? '' : count + ' of ' + cards.length + ' shown';
  };
  for (const chip of chips) {
    chip.addEventListener('click', () => {
      for (const one of chips) one.setAttribute('aria-pressed', String(one === chip));
      show();
    });
  }
  if (find) find.addEventListener('input', show);
  if (sort) {
    sort.addEventListener('change', () => {
      const order = sort.value === 'share' ? [...cards].sort((a, b) => b.dataset.share - a.dataset.share) : cards;
      list.append(...order);
    });
  }
  for (const view of all('[name=view]')) {
    view.addEventListener('change', () => {
      document.body.dataset.view = view.value;
    });
  }
  for (const cut of all('.cut input')) {
    const pair = cut.closest('.still').querySelector('.pair');
    cut.addEventListener('input', () => pair.style.setProperty('--cut', cut.value + '%'));
  }
  for (const drafts of all('.drafts')) {
    const videos = all('video', drafts);
    const play = drafts.querySelector('button');
    const seek = drafts.querySelector('input');
    const first = videos[0];
    let isPlaying = false;
    const together = () => {
      for (const video of videos) if (Math.abs(video.currentTime - first.currentTime) > 0.06) video.currentTime = first.currentTime;
    };
    const turn = (on) => {
      isPlaying = on;
      play.textContent = on ? 'Pause' : play.dataset.play;
      together();
      for (const video of videos) on ? video.play().catch(() => {}) : video.pause();
    };
    play.addEventListener('click', () => turn(!isPlaying));
    first.addEventListener('timeupdate', () => {
      if (isPlaying) together();
      if (first.duration) seek.value = String((first.currentTime / first.duration) * 1000);
    });
    first.addEventListener('ended', () => {
      for (const video of videos) video.currentTime = 0;
      turn(true);
    });
    seek.addEventListener('input', () => {
      const at = (seek.value / 1000) * (first.duration || 0);
      for (const video of videos) video.currentTime = at;
    });
  }
})();
`;
