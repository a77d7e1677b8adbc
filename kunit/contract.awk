# SPDX-License-Identifier: GPL-2.0
#
# Print "complete" if each function of the variable exports has NO_CONTRACT(), or a row or NO_ROWS()
# for each situation of its kind; otherwise what is missing or contradicts. The kind is the name of
# the macro that assigns a table to the function. A situation is a single value: where the call is
# made, in which state its pool is, or its object.

BEGIN {
	thread = " IN_THREAD IN_OWN_TASK WITH_ROOM UNUSED "
	sits["ALONE"] = thread "IN_SOFTIRQ IN_HARDIRQ"
	sits["ANY"] = thread "IN_HARDIRQ DRAINS DESTROYED NO_POOL ERR_POOL"
	sits["LOOK"] = thread "DRAINS DESTROYED NO_POOL ERR_POOL"
	state = sits["ALONE"] " KILLED FULL DRAINS CANCELS FOR_OWN DESTROYING DESTROYED "
	sits["EVENT"] = sits["HREVENT"] = state "QUEUED INSIDE AGAIN WAITING DISABLED ARMED ITSELF"
	sits["STRAND"] = state "QUEUED INSIDE ITSELF"
	sits["GROUP"] = state "QUEUED INSIDE ITSELF WAITING NONE"
	task = "QUEUED INSIDE AGAIN WAITING DISABLED ITSELF NONE ERR DETACHED QUEUED_DETACHED " \
	       "ELSEWHERE INSIDE_ELSEWHERE "
	sits["TASK"] = state task
	sits["INVOKE"] = state "NO_POOL ERR_POOL DEFAULT_POOL "
	sits["LOOP"] = sits["INVOKE"] "WITHOUT_FUNC"
	sits["FN"] = sits["LOOP"] " GOING"
	sits["POOL"] = sits["INVOKE"] "QUEUED INSIDE AGAIN WAITING"
	sits["SUBMIT"] = sits["FN"] " " task
	queue = sits["ALONE"] " KILLED DRAINS DESTROYING DESTROYED QUEUED INSIDE AGAIN MOVED "
	sits["WQ"] = queue "NO_POOL ARMED"
	sits["RCU"] = queue "ITSELF ELSEWHERE INSIDE_ELSEWHERE"
	sits["WORK"] = sits["RCU"] " ARMED DISABLED"
	sits["QUEUE"] = sits["WORK"] " NO_POOL NONE WITHOUT_FUNC"
}

function key(name) { return name ~ /^wpool_/ ? name : FILENAME name }

/^ENTRIES\(/ { first = 1 }
first && /^\t.*}\)?[,;]+$/ && !/"/ && gsub(/{/, "{") == gsub(/}/, "}") {
	gaps = gaps " " FILENAME ":" FNR ":text"
}
/^\t/ { first = 0 }
{ gsub(/"[^"]*"|[][(){},]/, " ") }
/^ENTRIES/ { table = key($2) }
!reason && $1 ~ /^(IN_[A-Z_]+|KILLED|SIGNALLED)$/ { rows[table] = rows[table] " " $1 " " $2 " " $3 " " }
!reason && /^\t[^;]* wpool_/ && $1 ~ /^[A-Z]+$/ && NF >= 3 {
	kinds[$2] = kinds[$2] " " $1
	tables[$2] = tables[$2] " " $2 " " key($3)
}
/^NO_CONTRACT/ { kinds[$2] = "" }
/^NO_ROWS/ { reason = 1; $1 = "" }
reason { reason = reason $0 }
reason && /;$/ {
	n = split(reason, word, /[ ;\t]+/)
	for (i = 2; i <= n; i++)
		for (j = 2; j <= n; j++)
			if (word[i] ~ /[a-z]/ && word[j] ~ /^[A-Z_]+$/)
				reasons[key(word[i])] = reasons[key(word[i])] " " word[j] " "
	reason = 0
}

END {
	for (n = split(exports, call); n; n--) {
		f = call[n]
		if (!(f in kinds))
			gaps = gaps " " f
		has = why = ""
		for (i = split(tables[f], t); i; i--) {
			has = has rows[t[i]]
			why = why reasons[t[i]]
		}
		for (k = split(kinds[f], kind); k; k--) {
			if (!(kind[k] in sits))
				gaps = gaps " " kind[k]
			for (i = split(sits[kind[k]], s); i; i--)
				if (!index(has, " " s[i] " ") == !index(why, " " s[i] " ") &&
				    !index(gaps, " " f ":" s[i] " "))
					gaps = gaps " " f ":" s[i] " "
		}
	}
	print gaps ? gaps : "complete"
}
