#pragma once

/* Nothing to call: the answer comes before main. */
