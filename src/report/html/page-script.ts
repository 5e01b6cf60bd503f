/** Script of the plan page: filters, searches, sorts, compares and plays. Without it, all content is visible. */
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
    const status = document.getElementById('count');
    if (status) status.textContent = count === cards.length ? '' : count + ' of ' + cards.length + ' shown';
  };
  const press = (chip) => {
    for (const one of chips) one.setAttribute('aria-pressed', String(one === chip));
    show();
  };
  for (const chip of chips) chip.addEventListener('click', () => press(chip));
  // Shows the target of a link even if the search hides it.
  addEventListener('hashchange', () => {
    const card = document.getElementById(location.hash.slice(1));
    if (!card || !card.hidden) return;
    if (find) find.value = '';
    press(chips[0]);
    card.scrollIntoView();
  });
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
    const sound = drafts.querySelector('select');
    let isPlaying = false;
    for (const video of videos) video.controls = false;
    if (sound) {
      sound.addEventListener('change', () => {
        for (const [index, video] of videos.entries()) video.muted = sound.value !== String(index);
      });
    }
    // Also after a jump, when there is no frame for a moment.
    const ready = (video) => video.readyState >= 2 || video.error ? null : new Promise((resolve) => {
      for (const event of ['canplay', 'error']) video.addEventListener(event, resolve, { once: true });
      if (video.preload === 'none') {
        video.preload = 'auto';
        video.load();
      }
    });
    const loaded = () => Promise.all(videos.map(ready));
    const longest = () => videos.reduce((a, b) => b.duration > a.duration ? b : a);
    const together = () => {
      const lead = longest();
      for (const video of videos) {
        const at = Math.min(lead.currentTime, video.duration || 0);
        if (video !== lead && Math.abs(video.currentTime - at) > 0.06) video.currentTime = at;
      }
    };
    const turn = async (on) => {
      isPlaying = on;
      play.textContent = on ? 'Pause' : play.dataset.play;
      await loaded();
      if (videos.some((video) => video.error)) {
        play.disabled = true;
        play.textContent = 'Cannot be played here';
        return;
      }
      if (isPlaying !== on) return;
      together();
      const at = longest().currentTime;
      for (const video of videos) {
        if (!on) video.pause();
        // The shorter one stays at its end until both begin again.
        else if (at < video.duration) video.play().catch(() => {});
      }
    };
    play.addEventListener('click', () => turn(!isPlaying));
    for (const video of videos) {
      video.addEventListener('timeupdate', () => {
        const lead = longest();
        if (video !== lead) return;
        if (isPlaying) together();
        if (lead.duration) seek.value = String((lead.currentTime / lead.duration) * 1000);
      });
      // Both begin again when the longer one is at its end.
      video.addEventListener('ended', () => {
        if (video !== longest()) return;
        for (const video of videos) video.currentTime = 0;
        turn(true);
      });
    }
    seek.addEventListener('input', async () => {
      await loaded();
      const at = (seek.value / 1000) * (longest().duration || 0);
      for (const video of videos) video.currentTime = Math.min(at, video.duration || 0);
    });
  }
  // One side is heard at a time: the other one goes on from there.
  for (const heard of all('.heard')) {
    const videos = all('video', heard);
    for (const video of videos) {
      video.addEventListener('play', () => {
        for (const other of videos) {
          if (other === video || other.paused) continue;
          other.pause();
          video.currentTime = Math.min(other.currentTime, video.duration || 0);
        }
      });
    }
  }
})();
`;
